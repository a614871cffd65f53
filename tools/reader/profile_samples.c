// SPDX-License-Identifier: LGPL-2.1-or-later
#include "reader/profile_samples.h"
#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK	65536	/* samples read at once */

/* Narrow pcs are widened in place, from the end. */
static void widen(uint64_t *pcs, size_t n)
{
	const char *narrow = (const char *)pcs;

	while (n--) {
		uint32_t pc;

		memcpy(&pc, narrow + n * sizeof(pc), sizeof(pc));
		pcs[n] = pc;
	}
}

static void visit_extent(const struct profile_file *file, uint64_t *pcs,
			 uint64_t from, uint64_t to, profile_visit *visit,
			 void *context)
{
	uint32_t width = file->header.sample_width;
	uint64_t start = file->header.samples_offset;

	from -= (from - start) % width;
	while (from + width <= to) {
		uint64_t bytes = to - from;
		size_t n;

		if (bytes > CHUNK * (uint64_t)width)
			bytes = CHUNK * (uint64_t)width;
		n = profile_file_read(file, pcs, bytes, from) / width;
		if (!n)
			return;
		if (width == 4)
			widen(pcs, n);
		visit(context, pcs, n, (from - start) / width);
		from += n * width;
	}
}

/* Where no sample can be any more. */
static uint64_t samples_limit(const struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	uint64_t limit = header->samples_offset +
			 header->capacity * header->sample_width;

	return header->stacks_offset && limit < file->size ? limit : file->size;
}

/* A stretch of the samples that has disk blocks, at or after *@from. */
static bool next_extent(const struct profile_file *file, uint64_t *from,
			uint64_t *to)
{
	uint64_t limit = samples_limit(file);
	off_t data, hole;

	if (*from >= limit)
		return false;
	data = lseek(file->fd, (off_t)*from, SEEK_DATA);
	if (data < 0 && errno == ENXIO)
		return false;
	if (data >= 0)
		*from = (uint64_t)data;
	hole = lseek(file->fd, (off_t)*from, SEEK_HOLE);
	*to = hole > (off_t)*from && (uint64_t)hole < limit ? (uint64_t)hole :
							      limit;
	return *from < limit;
}

void profile_samples_visit(const struct profile_file *file, profile_visit *visit,
			   void *context)
{
	uint64_t *pcs = allocate(CHUNK * sizeof(*pcs));
	uint64_t from = file->header.samples_offset, to;

	for (; next_extent(file, &from, &to); from = to)
		visit_extent(file, pcs, from, to, visit, context);
	free(pcs);
}

/* What is not 0 in @bytes ends there. */
static size_t used_bytes(const char *bytes, size_t size)
{
	while (size && !bytes[size - 1])
		size--;
	return size;
}

/* Where what is not 0 in a stretch of the file ends; 0: it is all 0. */
static uint64_t used_to(const struct profile_file *file, uint64_t from, uint64_t to)
{
	static char bytes[131072];

	while (from < to) {
		size_t size = to - from < sizeof(bytes) ? to - from : sizeof(bytes);
		size_t used = used_bytes(bytes, profile_file_read(file, bytes, size,
								  to - size));

		if (used)
			return to - size + used;
		to -= size;
	}
	return 0;
}

/*
 * Blocks may have been brought in for samples that never came, and holes may be
 * between samples.
 */
uint64_t profile_samples_end(const struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	uint64_t from = header->samples_offset, to, end = from;

	if (from > file->size || from < sizeof(*header))
		return 0;
	for (; next_extent(file, &from, &to); from = to) {
		uint64_t used = used_to(file, from, to);

		if (used)
			end = used;
	}
	/* A sample whose last byte is 0 is a sample. */
	to = (end - header->samples_offset) % header->sample_width;
	if (to)
		end += header->sample_width - to;
	/* Of the last one, a file that was cut has only a part. */
	return end < file->size ? end : file->size;
}

/* What was read, and nothing that has taken its name. */
static int open_writable(const struct profile_file *file)
{
	struct stat there, here;
	int fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK |
		      O_NOFOLLOW | O_NOCTTY);

	if (fd < 0)
		return fd;
	if (fstat(fd, &there) == 0 && fstat(file->fd, &here) == 0 &&
	    there.st_dev == here.st_dev && there.st_ino == here.st_ino)
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

int profile_samples_cut(const struct profile_file *file, uint64_t end)
{
	int error = 0, fd;

	if (!end || end >= file->size || file->header.stacks_offset)
		return 0;
	fd = file->writable ? file->fd : open_writable(file);
	if (fd < 0 || ftruncate(fd, (off_t)end) < 0)
		error = errno;
	if (fd >= 0 && fd != file->fd)
		close(fd);
	return error;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The stacks lie far behind the samples, after room for years of samples. Programs
 * that know no holes could not copy such a file, so the stacks move to the end of
 * the samples. Each step leaves a valid file, also if the process is killed:
 *
 *	capacity	from now on, nothing after the last sample is a sample
 *	copy		the file has the stacks twice
 *	stacks_offset	readers use the copy; written together with
 *	stacks_capacity
 *	cut		the original goes
 *
 * A lock on the file keeps two processes from doing this at the same time.
 */
#include "reader/profile_cut.h"
#include "reader/profile_extents.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Zeroes that may belong to the last record: more than a record has. */
#define RECORD_ZEROES	512

/* Opens the file that was read, unless another one has taken its name. */
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

static bool write_all(int fd, const void *buffer, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(fd, (const char *)buffer + done, size - done,
				   (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool copy(const struct profile_file *file, int fd, uint64_t from,
		 uint64_t to, uint64_t bytes)
{
	static char buffer[131072];
	uint64_t done = 0;

	while (done < bytes) {
		size_t size = bytes - done < sizeof(buffer) ? bytes - done :
							      sizeof(buffer);

		if (profile_file_read(file, buffer, size, from + done) < size) {
			errno = EIO;
			return false;
		}
		if (!write_all(fd, buffer, size, to + done))
			return false;
		done += size;
	}
	return true;
}

/*
 * The capacity for samples that end at @end. It leaves room for one more sample: a
 * full array would look as if samples were missing.
 */
static uint64_t least_capacity(const struct profile_header *header, uint64_t end)
{
	uint64_t samples = (end - header->samples_offset) / header->sample_width;

	return samples < header->capacity ? samples + 1 : header->capacity;
}

static bool limit_samples(struct profile_header *header, int fd, uint64_t capacity)
{
	if (header->capacity == capacity)
		return true;
	if (!write_all(fd, &capacity, sizeof(capacity),
		       offsetof(struct profile_header, capacity)))
		return false;
	header->capacity = capacity;
	return true;
}

_Static_assert(offsetof(struct profile_header, stacks_capacity) ==
	       offsetof(struct profile_header, stacks_offset) + 8,
	       "both are written in one call");

static bool name_place(struct profile_header *header, int fd, uint64_t at,
		       uint64_t bytes)
{
	const uint64_t place[2] = { at, bytes };

	if (!write_all(fd, place, sizeof(place),
		       offsetof(struct profile_header, stacks_offset)))
		return false;
	header->stacks_offset = at;
	header->stacks_capacity = bytes;
	return true;
}

/* 0 or an errno. */
static int move_stacks(struct profile_file *file, int fd, uint64_t to,
		       uint64_t bytes)
{
	struct profile_header *header = &file->header;
	uint64_t from = header->stacks_offset;
	int error;

	if (copy(file, fd, from, to, bytes) && name_place(header, fd, to, bytes))
		return 0;
	error = errno;
	/* Give back the disk space of the incomplete copy. */
	if (error == ENOSPC || error == EDQUOT)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)to, (off_t)bytes);
	return error;
}

/*
 * The size of the stacks, with the zeroes that may belong to them. They end at the
 * first hole. Returns false if another process has cut the file since its header
 * was read.
 */
static bool find_stacks(const struct profile_file *file, uint64_t *bytes)
{
	const struct profile_header *header = &file->header;
	uint64_t from = header->stacks_offset, limit = file->size, end;
	off_t hole;

	*bytes = 0;
	if (from >= limit)
		return true;
	if (header->stacks_capacity < limit - from)
		limit = from + header->stacks_capacity;
	hole = lseek(file->fd, (off_t)from, SEEK_HOLE);
	if (hole < 0 && errno == ENXIO)
		return false;
	if (hole >= 0 && (uint64_t)hole < limit)
		limit = (uint64_t)hole;
	end = profile_extents_used(file, from, limit);
	if (end > from)
		*bytes = (limit - end < RECORD_ZEROES ? limit :
							end + RECORD_ZEROES) - from;
	return true;
}

static int cut_at(struct profile_file *file, int fd, uint64_t end)
{
	if (end >= file->size)
		return 0;
	if (ftruncate(fd, (off_t)end) < 0)
		return errno;
	file->size = end;
	return 0;
}

/* Stacks do not move if the copy would overlap them: an interruption would lose them. */
static int cut_with_stacks(struct profile_file *file, int fd, uint64_t end,
			   uint64_t bytes)
{
	struct profile_header *header = &file->header;
	uint64_t capacity = least_capacity(header, end), to;
	int moved = 0, cut;

	to = (header->samples_offset + capacity * header->sample_width + 7) &
	     ~(uint64_t)7;
	if (to + bytes <= header->stacks_offset) {
		if (!limit_samples(header, fd, capacity))
			return errno;
		moved = move_stacks(file, fd, to, bytes);
	}
	cut = cut_at(file, fd, header->stacks_offset + bytes);
	return moved ? moved : cut;
}

/* Whether no other process cuts the file, or has cut it since its header was read. */
static bool is_still_the_same(const struct profile_file *file)
{
	struct profile_file now = { .fd = file->fd };

	return (flock(file->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
	       profile_file_look(&now) &&
	       now.header.capacity == file->header.capacity &&
	       now.header.stacks_offset == file->header.stacks_offset &&
	       now.header.stacks_capacity == file->header.stacks_capacity;
}

/* Empty stacks may lie behind the end of the file. */
static int cut(struct profile_file *file, int fd, uint64_t end)
{
	uint64_t bytes = 0;

	if (file->header.stacks_offset && !find_stacks(file, &bytes))
		return 0;
	if (!bytes)
		return cut_at(file, fd, end);
	return is_still_the_same(file) ? cut_with_stacks(file, fd, end, bytes) : 0;
}

int profile_cut(struct profile_file *file, uint64_t end)
{
	int error, fd;

	if (!end || end >= file->size)
		return 0;
	fd = file->writable ? file->fd : open_writable(file);
	if (fd < 0)
		return errno;
	error = cut(file, fd, end);
	if (fd != file->fd)
		close(fd);
	return error;
}

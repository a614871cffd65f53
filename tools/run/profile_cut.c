// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A file that a process writes to has room for a long log and for years of samples, with
 * the stacks behind it. Programs that know no holes could not copy it. So a new file has
 * header, log, samples and stacks one behind the other, and takes the name of the old one
 * when it is complete: readers have one or the other, also if this process is killed.
 */
#include "run/profile_cut.h"
#include "common/memory.h"
#include "reader/profile_extents.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Zeroes that may belong to the last record: more than a record has. */
#define RECORD_ZEROES	512

/* So few bytes have no hole that is worth two system calls. */
#define FEW		4096

/* The parts of the old file. */
struct parts {
	uint64_t	log, log_bytes;
	uint64_t	samples, samples_end;
	uint64_t	stacks, stacks_bytes;
};

/* --- writing --------------------------------------------------------------------- */

struct output {
	int		fd;
	uint64_t	at;		/* of bytes[0] in the file */
	size_t		n;
	char		bytes[131072];
};

static bool flush(struct output *output)
{
	size_t done = 0;

	while (done < output->n) {
		ssize_t n = pwrite(output->fd, output->bytes + done, output->n - done,
				   (off_t)(output->at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	output->at += output->n;
	output->n = 0;
	return true;
}

/* Goes on at @to; a hole stays a hole. */
static bool skip_to(struct output *output, uint64_t to)
{
	uint64_t gap = to - (output->at + output->n);

	if (gap <= sizeof(output->bytes) - output->n) {
		memset(output->bytes + output->n, 0, gap);
		output->n += gap;
		return true;
	}
	if (!flush(output))
		return false;
	output->at = to;
	return true;
}

/* Copies what @file has from @from to @end. */
static bool copy(struct output *output, const struct profile_file *file,
		 uint64_t from, uint64_t end)
{
	while (from < end) {
		size_t room = sizeof(output->bytes) - output->n;
		size_t size = end - from < room ? end - from : room;

		if (!size) {
			if (!flush(output))
				return false;
			continue;
		}
		if (profile_file_read(file, output->bytes + output->n, size, from) < size) {
			errno = EIO;
			return false;
		}
		output->n += size;
		from += size;
	}
	return true;
}

static bool copy_samples(struct output *output, const struct profile_file *file,
			 const struct parts *parts, uint64_t to)
{
	uint64_t from = parts->samples, end;

	if (parts->samples_end - from <= FEW)
		return skip_to(output, to) && copy(output, file, from, parts->samples_end);
	for (; profile_extents_next(file, parts->samples_end, &from, &end); from = end)
		if (!skip_to(output, to + (from - parts->samples)) ||
		    !copy(output, file, from, end))
			return false;
	return true;
}

static bool copy_all(const struct profile_file *file, const struct profile_header *header,
		     const struct parts *parts, int fd)
{
	static struct output output;

	/* Not all of it: that would clear its bytes. */
	output.fd = fd;
	output.at = 0;
	output.n = sizeof(*header);
	memcpy(output.bytes, header, sizeof(*header));
	return copy(&output, file, parts->log, parts->log + parts->log_bytes) &&
	       skip_to(&output, header->samples_offset) &&
	       copy_samples(&output, file, parts, header->samples_offset) &&
	       (!parts->stacks_bytes ||
		(skip_to(&output, header->stacks_offset) &&
		 copy(&output, file, parts->stacks,
		      parts->stacks + parts->stacks_bytes))) &&
	       flush(&output);
}

/* --- what is where ---------------------------------------------------------------- */

/*
 * The size of the stacks, with the zeroes that may belong to them. They end at the
 * first hole.
 */
static uint64_t size_of_stacks(const struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	uint64_t from = header->stacks_offset, limit = file->size, end;
	off_t hole;

	if (!from || from >= limit)
		return 0;
	if (header->stacks_capacity < limit - from)
		limit = from + header->stacks_capacity;
	hole = lseek(file->fd, (off_t)from, SEEK_HOLE);
	if (hole >= 0 && (uint64_t)hole < limit)
		limit = (uint64_t)hole;
	end = limit > from ? profile_extents_used(file, from, limit) : from;
	if (end <= from)
		return 0;
	return (limit - end < RECORD_ZEROES ? limit : end + RECORD_ZEROES) - from;
}

/*
 * The capacity leaves room for one more sample: a full array would look as if samples
 * were missing.
 */
static uint64_t least_capacity(const struct profile_header *header, uint64_t bytes)
{
	uint64_t samples = bytes / header->sample_width;

	return samples < header->capacity ? samples + 1 : header->capacity;
}

static uint64_t aligned(uint64_t offset)
{
	return (offset + 7) & ~(uint64_t)7;
}

/* Makes @header that of the new file. Returns the new size. */
static uint64_t lay_out(struct profile_header *header, const struct parts *parts)
{
	uint64_t bytes = parts->samples_end - parts->samples;

	header->log_offset = sizeof(*header);
	header->log_capacity = header->log_used = parts->log_bytes;
	header->samples_offset = aligned(sizeof(*header) + parts->log_bytes);
	header->capacity = least_capacity(header, bytes);
	if (header->stacks_offset) {
		header->stacks_offset = aligned(header->samples_offset +
						header->capacity * header->sample_width);
		header->stacks_capacity = parts->stacks_bytes;
	}
	return parts->stacks_bytes ? header->stacks_offset + parts->stacks_bytes :
				     header->samples_offset + bytes;
}

/* --- the file ------------------------------------------------------------------------ */

static int create(int directory, const char *name, const struct profile_file *file)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	int fd = openat(directory, name, flags, file->mode & 0777);

	/* Left by a profil that was killed. */
	if (fd < 0 && errno == EEXIST && unlinkat(directory, name, 0) == 0)
		fd = openat(directory, name, flags, file->mode & 0777);
	return fd;
}

static bool fill(const struct profile_file *file, const struct profile_header *header,
		 const struct parts *parts, int fd)
{
	return (file->owner == getauxval(AT_EUID) || fchown(fd, file->owner, (gid_t)-1) == 0) &&
	       copy_all(file, header, parts, fd);
}

/*
 * Another profil that ends now may cut the same file, and by the same name. The first byte
 * is that of the process. The lock of a reader does not matter.
 */
static bool is_being_cut(const struct profile_file *file)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1 };

	return fcntl(file->fd, F_OFD_SETLK, &lock) < 0 && errno == EAGAIN &&
	       fcntl(file->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

/* 0 or an errno. */
static int replace(int directory, const struct profile_file *file,
		   const struct profile_header *header, const struct parts *parts)
{
	char *name = format_text(".%s", file->path);
	int fd = create(directory, name, file), error = 0;

	if (fd < 0) {
		error = errno;
	} else {
		if (!fill(file, header, parts, fd) ||
		    renameat(directory, name, directory, file->path) < 0) {
			error = errno;
			unlinkat(directory, name, 0);
		}
		close(fd);
	}
	free(name);
	return error;
}

/*
 * A short command has no samples. Then the file stays, for fewer system calls: first its
 * samples begin behind the log, then it ends there.
 */
static int cut_behind_log(const struct profile_file *file, const struct parts *parts)
{
	uint64_t end = aligned(parts->log + parts->log_bytes);

	if (end >= file->size || end > parts->samples)
		return 0;
	if (!file->writable)
		return EACCES;
	if (pwrite(file->fd, &end, sizeof(end),
		   offsetof(struct profile_header, samples_offset)) != sizeof(end) ||
	    ftruncate(file->fd, (off_t)end) < 0)
		return errno;
	return 0;
}

static bool punch(const struct profile_file *file, uint64_t from, uint64_t end)
{
	return from >= end || fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					(off_t)from, (off_t)(end - from)) == 0;
}

/* Gives back pages without contents, which a program's mlockall() has made. */
static bool free_unused(const struct profile_file *file, const struct parts *parts)
{
	uint64_t stacks = parts->stacks_bytes ? parts->stacks : file->size;

	return file->writable && parts->log + parts->log_bytes <= parts->samples &&
	       punch(file, parts->samples_end, stacks) &&
	       punch(file, stacks + parts->stacks_bytes, file->size);
}

int profile_cut(int directory, const struct profile_file *file, uint64_t end)
{
	struct profile_header header = file->header;
	struct parts parts = {
		.log = header.log_offset, .log_bytes = profile_file_log_size(file),
		.samples = header.samples_offset, .samples_end = end,
		.stacks = header.stacks_offset, .stacks_bytes = size_of_stacks(file),
	};
	int error;

	/* Another header may say more of the file than this one knows. */
	if (!end || header.header_size != sizeof(header))
		return 0;
	if (end == parts.samples && !parts.stacks_bytes)
		return cut_behind_log(file, &parts);
	if (lay_out(&header, &parts) >= file->size || is_being_cut(file))
		return 0;
	error = replace(directory, file, &header, &parts);
	if ((error == ENOSPC || error == EDQUOT) && free_unused(file, &parts))
		error = replace(directory, file, &header, &parts);
	return error;
}

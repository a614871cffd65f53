// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil(1) does the same when the command ends (tools/run/profile_cut.c). A process that
 * has no profil, or whose profil has ended, does it itself.
 *
 * The new file takes the name of the old one when it is complete. The mapping stays that
 * of the old one.
 */
#include "file_cut.h"
#include "large.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const void *bytes, uint64_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (uint64_t)n;
	}
	return true;
}

/*
 * The log begins behind the header, the samples behind the log, and the stacks behind the
 * room for samples: one more, as an array without room would look full. They begin at a
 * multiple of 8. Returns the size.
 */
static uint64_t lay_out(struct profile_header *header, uint64_t samples, uint64_t stacks)
{
	header->log_offset = sizeof(*header);
	header->log_capacity = header->log_used;
	header->samples_offset = header->log_offset + header->log_used;
	if (samples < header->capacity)
		header->capacity = samples + 1;
	if (header->stacks_offset) {
		header->stacks_offset = (header->samples_offset +
					 header->capacity * sizeof(void *) + 7) & ~7ULL;
		header->stacks_capacity = stacks;
	}
	return stacks ? header->stacks_offset + stacks :
			header->samples_offset + samples * sizeof(void *);
}

/* The program may have lowered it. A write beyond it raises SIGXFSZ. */
static bool is_allowed(uint64_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && size <= limit.rlim_cur;
}

static bool fill(const struct file *file, const struct profile_header *header,
		 uint64_t samples, uint64_t stacks, int fd)
{
	const uint64_t none = 0;

	return write_all(fd, header, sizeof(*header)) &&
	       write_all(fd, file->log, header->log_used) &&
	       write_all(fd, file->samples, samples * sizeof(void *)) &&
	       (!stacks ||
		(write_all(fd, &none, header->stacks_offset - header->samples_offset -
				      samples * sizeof(void *)) &&
		 write_all(fd, file->stacks, stacks)));
}

/* Whether the name is still that of this file, and not of a later one. */
static bool has_name(const struct file *file)
{
	struct stat status;

	return lstat(file->path, &status) == 0 && status.st_dev == file->device &&
	       status.st_ino == file->inode;
}

/* DIR/.NAME for DIR/NAME. */
static const char *new_path(const struct file *file)
{
	static char path[sizeof(file->path) + 1] LARGE;
	const char *name = strrchr(file->path, '/') + 1;

	snprintf(path, sizeof(path), "%.*s.%s", (int)(name - file->path), file->path, name);
	return path;
}

void file_cut(const struct file *file, uint64_t samples, uint64_t stacks)
{
	struct profile_header header = *file->header;
	const char *path = new_path(file);
	int fd;

	if (samples > file->room || stacks > file->stacks_room ||
	    !is_allowed(lay_out(&header, samples, stacks)) || !has_name(file))
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return;
	if (!fill(file, &header, samples, stacks, fd) || rename(path, file->path) < 0)
		unlink(path);
	close(fd);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The type of a file is certain only once it is open. But open() of a FIFO would
 * wait for a writer, and that of a device can have effects: hence the flags.
 */
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWNER_ANY	((int64_t)-1)

static bool is_wanted(int fd, int64_t owner)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return false;
	errno = EINVAL;
	if (!S_ISREG(status.st_mode))
		return false;
	errno = EPERM;
	return owner == OWNER_ANY || status.st_uid == (uint64_t)owner;
}

static int open_wanted(const char *path, int flags, int64_t owner)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	int error;

	if (fd < 0 || is_wanted(fd, owner))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static FILE *stream(int fd)
{
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

int regular_file_open(const char *path)
{
	return open_wanted(path, 0, OWNER_ANY);
}

FILE *regular_file_stream(const char *path)
{
	return stream(regular_file_open(path));
}

FILE *regular_file_stream_of(const char *path, uint32_t owner)
{
	return stream(open_wanted(path, O_NOFOLLOW, owner));
}

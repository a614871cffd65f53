// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The type of a file is certain only once it is open. But open() of a FIFO would
 * wait for a writer, and that of a device can have effects: hence the flags.
 */
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWNER_ANY	((int64_t)-1)
#define FLAGS		(O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* openat2() gives up if a file is renamed, anywhere, while it follows a "..". */
#define TRIES		100

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

/* Returns @fd, or closes it. */
static int check(int fd, int64_t owner)
{
	int error;

	if (fd < 0 || is_wanted(fd, owner))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

int regular_file_open(const char *path)
{
	return check(open(path, FLAGS), OWNER_ANY);
}

int regular_file_open_in(int root, const char *path)
{
	const struct open_how how = { .flags = FLAGS, .resolve = RESOLVE_IN_ROOT };
	int fd, tries = 0;

	do {
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	} while (fd < 0 && errno == EAGAIN && ++tries < TRIES);
	return check(fd, OWNER_ANY);
}

FILE *regular_file_stream(int fd)
{
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

FILE *regular_file_stream_of(const char *path, uint32_t owner)
{
	return regular_file_stream(check(open(path, FLAGS | O_NOFOLLOW), owner));
}

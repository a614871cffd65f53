// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gmon_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* libc's choice of the path. */
static int open_file(void)
{
	const char *prefix = secure_getenv("GMON_OUT_PREFIX");
	char path[4096];
	int fd = -1;

	if (prefix && snprintf(path, sizeof(path), "%s.%u", prefix,
			       (unsigned int)getpid()) < (int)sizeof(path))
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		fd = open("gmon.out", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	return fd;
}

/* Copies all records but histograms of the old file, @size bytes at @old. */
static int copy_rest(FILE *out, const char *old, size_t size)
{
	size_t at = GMON_OUT_HEADER_BYTES;

	while (at < size) {
		size_t bytes = gmon_out_record_bytes(old + at, size - at);

		if (!bytes)
			return EBADMSG;
		if (!gmon_out_is_histogram(old + at))
			fwrite(old + at, bytes, 1, out);
		at += bytes;
	}
	return 0;
}

static int rewrite(int fd, const char *old, size_t size,
		   const struct gmon_out_histogram *histogram)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int error;

	if (!out)
		return errno;
	fwrite(old, GMON_OUT_HEADER_BYTES, 1, out);
	gmon_out_write_histogram(out, histogram);
	error = copy_rest(out, old, size);
	if (fclose(out) != 0 && !error)
		error = errno;
	if (!error && (pwrite(fd, text, length, 0) != (ssize_t)length ||
		       ftruncate(fd, (off_t)length) < 0))
		error = errno;
	free(text);
	return error;
}

int gmon_file_replace(const struct gmon_out_histogram *histogram)
{
	int fd = open_file(), error = EBADMSG;
	struct stat status;
	char *old;

	if (fd < 0)
		return errno;
	if (fstat(fd, &status) == 0 && status.st_size > 0) {
		size_t size = (size_t)status.st_size;

		old = malloc(size);
		if (old && pread(fd, old, size, 0) == (ssize_t)size &&
		    gmon_out_is_known(old, size))
			error = rewrite(fd, old, size, histogram);
		free(old);
	}
	close(fd);
	return error;
}

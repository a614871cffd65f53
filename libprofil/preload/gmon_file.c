// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rewrites gmon.out. libc's counters have 16 bits; where ours have more, the
 * same range follows once more with the rest, and gprof adds them up.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "gmon_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES	20
#define POINTER		sizeof(void *)
#define ARC_BYTES	(1 + 2 * POINTER + 4)
#define HISTOGRAM_BYTES	(1 + 2 * POINTER + 4 + 4 + 15 + 1)

enum { TAG_HISTOGRAM = 0, TAG_ARC = 1 };

/* As libc chooses it. */
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

/* Counters as libc has them, after @subtract; true: something is left. */
static bool narrow(uint16_t *counters, const struct gmon_histogram *histogram,
		   uint64_t subtract)
{
	bool left = false;
	uint64_t i;

	for (i = 0; i < histogram->n; i++) {
		uint64_t count = histogram->counters[i];

		count = count > subtract ? count - subtract : 0;
		left |= count > UINT16_MAX;
		counters[i] = count > UINT16_MAX ? UINT16_MAX : (uint16_t)count;
	}
	return left;
}

static void write_record(FILE *out, const struct gmon_histogram *histogram,
			 const uint16_t *counters)
{
	uintptr_t low = histogram->low, high = histogram->high;
	uint32_t n = (uint32_t)histogram->n;

	putc(TAG_HISTOGRAM, out);
	fwrite(&low, POINTER, 1, out);
	fwrite(&high, POINTER, 1, out);
	fwrite(&n, sizeof(n), 1, out);
	fwrite(&histogram->rate, sizeof(histogram->rate), 1, out);
	fwrite("seconds\0\0\0\0\0\0\0\0s", 16, 1, out);
	fwrite(counters, sizeof(*counters), n, out);
}

static int write_histogram(FILE *out, const struct gmon_histogram *histogram)
{
	uint16_t *counters = malloc(histogram->n * sizeof(*counters));
	uint64_t subtract = 0;
	bool left;

	if (!counters)
		return ENOMEM;
	do {
		left = narrow(counters, histogram, subtract);
		write_record(out, histogram, counters);
		subtract += UINT16_MAX;
	} while (left);
	free(counters);
	return 0;
}

/* Bytes of the record at @at; 0: none that we know. */
static size_t record_bytes(const char *at, size_t left)
{
	uint32_t n;
	size_t size;

	if (*at == TAG_ARC)
		size = ARC_BYTES;
	else if (*at != TAG_HISTOGRAM || left < HISTOGRAM_BYTES)
		return 0;
	else {
		memcpy(&n, at + 1 + 2 * POINTER, sizeof(n));
		size = HISTOGRAM_BYTES + 2 * (size_t)n;
	}
	return size <= left ? size : 0;
}

/* All of the old file but histograms; @size bytes in @old. */
static int copy_rest(FILE *out, const char *old, size_t size)
{
	size_t at = HEADER_BYTES;

	while (at < size) {
		size_t bytes = record_bytes(old + at, size - at);

		if (!bytes)
			return EBADMSG;
		if (old[at] != TAG_HISTOGRAM)
			fwrite(old + at, bytes, 1, out);
		at += bytes;
	}
	return 0;
}

static int rewrite(int fd, const char *old, size_t size,
		   const struct gmon_histogram *histogram)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int error;

	if (!out)
		return errno;
	fwrite(old, HEADER_BYTES, 1, out);
	error = write_histogram(out, histogram);
	if (!error)
		error = copy_rest(out, old, size);
	if (fclose(out) != 0 && !error)
		error = errno;
	if (!error && (pwrite(fd, text, length, 0) != (ssize_t)length ||
		       ftruncate(fd, (off_t)length) < 0))
		error = errno;
	free(text);
	return error;
}

int gmon_file_replace(const struct gmon_histogram *histogram)
{
	int fd = open_file(), error = EBADMSG;
	struct stat status;
	char *old;

	if (fd < 0)
		return errno;
	if (fstat(fd, &status) == 0 && status.st_size >= HEADER_BYTES) {
		size_t size = (size_t)status.st_size;

		old = malloc(size);
		if (old && pread(fd, old, size, 0) == (ssize_t)size &&
		    !memcmp(old, "gmon\1\0\0\0", 8))
			error = rewrite(fd, old, size, histogram);
		free(old);
	}
	close(fd);
	return error;
}

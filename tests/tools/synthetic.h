/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profile files as they are wanted: made in memory, then written. */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include <libprofil/profile_format.h>

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_AT		4096
#define SAMPLES_AT	65536

struct synthetic {
	uint64_t	size;
	union {
		unsigned char		bytes[SAMPLES_AT + 65536];
		struct profile_header	header;
	};
};

/* A program of 1 ms samples, with a header that is right and nothing else. */
void synthetic_begin(struct synthetic *file);

/* @path from @start to @end, whose file has it at @start - @bias. */
void synthetic_object(struct synthetic *file, uint64_t sample, const char *path,
		      uint64_t start, uint64_t end, uint64_t bias);

void synthetic_samples(struct synthetic *file, uint64_t pc, unsigned int n);

/* Writes the first @size bytes into DIRECTORY/name; the path, as synthetic_path(). */
const char *synthetic_write(const struct synthetic *file, const char *name, uint64_t size);

/*
 * A directory that is removed at the end, and the path of something in it, which the
 * call after the next one overwrites.
 */
const char *synthetic_directory(void);
const char *synthetic_path(const char *name);

/* Its size; -1: there is none. */
off_t synthetic_size(const char *name);

#endif

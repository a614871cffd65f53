/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profile files as they are wanted: made in memory, then written. */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include <libprofil/profile_format.h>

#include "stack_encoder.h"

#include <stddef.h>
#include <stdint.h>

#define LOG_AT		4096
#define SAMPLES_AT	65536
#define STREAM_MOST	65536
#define THREADS_MOST	8
#define SYNTHETIC_BEGIN_NS	5000000000ULL	/* of the stream's clock */

/* A stream of stacks, as the kernel writes it. */
struct synthetic_stream {
	struct profil_stack_encoder	before;
	struct profil_stack_last	last[THREADS_MOST];	/* by id, modulo */
	size_t				size;
	unsigned char			bytes[STREAM_MOST + PROFIL_STACK_RECORD_BYTES];
};

struct synthetic {
	struct synthetic_stream stream;
	uint64_t	size;
	union {
		unsigned char		bytes[SAMPLES_AT + 65536 + STREAM_MOST];
		struct profile_header	header;
	};
};

/* A program of 1 ms samples, with a header that is right and nothing else. */
void synthetic_begin(struct synthetic *file);

/* @path from @start to @end, whose file has it at @start - @bias. */
void synthetic_object(struct synthetic *file, uint64_t sample, const char *path,
		      uint64_t start, uint64_t end, uint64_t bias);

/* A program that is linked to where it is. */
void synthetic_fixed(struct synthetic *file, uint64_t sample, const char *path,
		     uint64_t start, uint64_t end);
void synthetic_gone(struct synthetic *file, uint64_t sample, uint64_t start);
/* A record of @size bytes of text. */
void synthetic_text(struct synthetic *file, uint32_t type, const char *text,
		    size_t size);
void synthetic_samples(struct synthetic *file, uint64_t pc, unsigned int n);

/* A record of the stream: of one thread's stack. */
void synthetic_record(struct synthetic *file, const struct profil_stack_record *record);

/*
 * One of so many samples, in the array as well; frames are a list, innermost first.
 */
#define synthetic_stack(file, thread, n, ...)				\
	synthetic_frames(file, thread, n, (const u64[]){ __VA_ARGS__ },	\
			 sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64))
void synthetic_frames(struct synthetic *file, uint32_t thread, unsigned int n,
		      const u64 *frames, uint32_t nframes);

/* Puts the stream behind the samples, after the last of them. */
void synthetic_end(struct synthetic *file);

/* Writes the first @size bytes into DIRECTORY/name; the path, static. */
const char *synthetic_write(const struct synthetic *file, const char *name,
			    uint64_t size);

/* A directory that is removed at the end. */
const char *synthetic_directory(void);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How large the profile file is to be. */
#ifndef PRELOAD_FILE_SIZE_H
#define PRELOAD_FILE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_PAGE		4096UL

/* What is left for exit handlers: half an hour of them. */
#define FILE_SIZE_SAMPLES_EXIT	((uint64_t)1 << 21)
#define FILE_SIZE_STACKS_EXIT	(32 * FILE_SIZE_SAMPLES_EXIT)

/* With less room than this for stacks, there are none: 1000 records or two. */
#define FILE_SIZE_STACKS_WORTH	(16UL << 10)

struct file_size {
	uint64_t	samples;
	uint64_t	stacks;		/* bytes; 0: none */
};

/*
 * What the process's limits leave of @capacity, or, with 0, of as many samples
 * as there may be; no samples: no file. With @stacks also for these.
 */
struct file_size file_size_allowed(uint64_t capacity, bool stacks);

/* Bytes of so many, in whole pages. */
size_t file_size_of_samples(uint64_t samples);

/* Most of an address space that has a limit is for the program; ours of it. */
uint64_t file_size_of_space(uint64_t limit);

/* Samples and stacks are given so many bytes, and no more. */
void file_size_share(struct file_size *size, uint64_t bytes);

/* A quarter of what was too much; first of stacks, while they have more. */
void file_size_lessen(struct file_size *size);

/* A file of a file system without holes: all of its room is disk space. */
void file_size_keep_small(struct file_size *size);

#endif

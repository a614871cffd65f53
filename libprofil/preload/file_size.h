/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the size of the profile file. */
#ifndef PRELOAD_FILE_SIZE_H
#define PRELOAD_FILE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_PAGE		4096UL

/*
 * Room in the file of a process without profil: 70 minutes at 1000 samples a second. If
 * it is killed, nobody cuts the file.
 */
#define FILE_SIZE_SAMPLES_ALONE	((uint64_t)1 << 22)

/* Minimum room for stacks: one or two thousand records. With less, there are none. */
#define FILE_SIZE_STACKS_WORTH	(16UL << 10)

struct file_size {
	uint64_t	samples;
	uint64_t	stacks;		/* bytes; 0: none */
};

/*
 * The size for @capacity samples (0: the maximum), and for @stacks, within the
 * process's limits. If the result has no samples, make no file.
 */
struct file_size file_size_allowed(uint64_t capacity, bool stacks);

/* The process's soft limit of @resource; UINT64_MAX: none. */
uint64_t file_size_soft_limit(int resource);

/* Bytes of @samples samples, in whole pages. */
size_t file_size_of_samples(uint64_t samples);

/* The file's share of an address space with a limit; the rest is the program's. */
uint64_t file_size_of_space(uint64_t limit);

/* Limits samples and stacks together to @bytes. */
void file_size_share(struct file_size *size, uint64_t bytes);

/* Quarters a size that was too large: only the stacks while they have more room. */
void file_size_reduce(struct file_size *size);

/* Limits the size for a file system without holes: all of it takes disk space. */
void file_size_keep_small(struct file_size *size);

#endif

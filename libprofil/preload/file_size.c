// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The file is sparse. Its size is address space for the profile, not disk space:
 * 2^31 samples are 24 days of CPU time at 1000 samples a second. If the file system
 * has no holes, or address space is short, the file is smaller.
 *
 * Stacks follow the samples, as a stream of records of unknown length. They get four
 * times the samples' room. If a limit leaves less for both, each gets half of it, so
 * that both last about equally long.
 */
#include "file_size.h"
#include "file.h"
#include "system.h"

#define SAMPLES_MOST	((uint64_t)1 << (sizeof(void *) == 8 ? 31 : 25))
/* All of the file in an address space of 32 bits: a sixteenth, as of one with a limit. */
#define NARROW_MOST	((uint64_t)1 << 28)
/* On a file system without holes: 17 minutes at 1000 samples a second. */
#define SAMPLES_SOLID	((uint64_t)1 << 20)

/* Bytes of stacks for each sample; 10 to 30 were measured. */
#define STACK_BYTES	32
#define STACKS_LEAST	(1UL << 20)
/* On a file system without holes. */
#define STACKS_SOLID	(2UL << 20)

size_t file_size_of_samples(uint64_t samples)
{
	return (samples * sizeof(void *) + FILE_PAGE - 1) & ~(FILE_PAGE - 1);
}

uint64_t file_size_soft_limit(int resource)
{
	struct rlimit limit;

	if (system_getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

static uint64_t stack_bytes(uint64_t samples)
{
	uint64_t bytes = (samples * STACK_BYTES + FILE_PAGE - 1) & ~(FILE_PAGE - 1);

	return bytes < STACKS_LEAST ? STACKS_LEAST : bytes;
}

static uint64_t whole_pages(uint64_t bytes)
{
	return bytes & ~(FILE_PAGE - 1);
}

void file_size_share(struct file_size *size, uint64_t bytes)
{
	uint64_t half = whole_pages(bytes / 2);

	if (size->stacks && half < FILE_SIZE_STACKS_WORTH)
		size->stacks = 0;
	if (size->stacks && file_size_of_samples(size->samples) > half)
		size->samples = half / sizeof(void *);
	if (size->samples > bytes / sizeof(void *))
		size->samples = bytes / sizeof(void *);
	if (size->stacks &&
	    size->stacks > bytes - file_size_of_samples(size->samples))
		size->stacks = whole_pages(bytes -
					   file_size_of_samples(size->samples));
}

/* Extending the file beyond RLIMIT_FSIZE would raise SIGXFSZ. */
struct file_size file_size_allowed(uint64_t capacity, bool stacks)
{
	uint64_t limit = file_size_soft_limit(RLIMIT_FSIZE);
	struct file_size size = { .samples = SAMPLES_MOST };

	if (limit < FILE_SAMPLES_AT)
		return (struct file_size){ .samples = 0 };
	if (capacity && capacity < size.samples)
		size.samples = capacity;
	if (stacks)
		size.stacks = stack_bytes(size.samples);
	limit -= FILE_SAMPLES_AT;
	if (sizeof(void *) == 4 && limit > NARROW_MOST)
		limit = NARROW_MOST;
	file_size_share(&size, limit);
	file_size_share(&size, file_size_of_space(file_size_soft_limit(RLIMIT_AS)));
	return size;
}

uint64_t file_size_of_space(uint64_t limit)
{
	return limit / 16;
}

void file_size_reduce(struct file_size *size)
{
	if (size->stacks <= file_size_of_samples(size->samples))
		size->samples /= 4;
	size->stacks = whole_pages(size->stacks / 4);
	if (size->stacks < FILE_SIZE_STACKS_WORTH)
		size->stacks = 0;
}

void file_size_keep_small(struct file_size *size)
{
	if (size->samples > SAMPLES_SOLID)
		size->samples = SAMPLES_SOLID;
	if (size->stacks > STACKS_SOLID)
		size->stacks = STACKS_SOLID;
}

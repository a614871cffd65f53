/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For attacks: buffers whose pages are slow to bring in, and are taken away. */
#ifndef SELFTESTS_SPREAD_H
#define SELFTESTS_SPREAD_H

#include "setup.h"

#define HUGE	(2UL << 20)

static inline void *memory_at(uintptr_t where, size_t size, int flags)
{
	return mapped((void *)where, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | flags, -1);
}

static inline void *memory(size_t size)
{
	return memory_at(0, size, MAP_NORESERVE);
}

/* Aligned memory, which is slow to bring in. It has huge pages if the machine has any. */
static inline char *huge_memory(size_t size)
{
	char *mem = memory(size + HUGE);

	mem = (char *)(((uintptr_t)mem + HUGE - 1) & ~(HUGE - 1));
	madvise(mem, size, MADV_HUGEPAGE);
	return mem;
}

static inline void *work_all_over(void *unused)
{
	for (;;)
		hot_wide(20);
	return unused;
}

#define RACE_SIZE	(32 * HUGE)
#define RACE_STARTS	200
/* Memory that is discarded all the time is slow to come: at least so many. */
#define RACE_STARTS_LEAST	(slowness() == 1 ? 20U : 4U)
/* Where instructions are the clock, a second of a slow kernel takes ten. */
#define RACE_SECONDS	(slowness() == 1 ? 8 : 2)

static struct {
	char *buf;
	uint64_t volatile page;
	unsigned int volatile closes;
} race;

static inline void *discard_buffer(void *unused)
{
	for (;;) {
		madvise(race.buf, RACE_SIZE, MADV_DONTNEED);
		hot_wide(5);
	}
	return unused;
}

/* A counter in each page, or in each huge page. */
static inline struct profil_region spread(void *buf, size_t size, unsigned int bytes_per_block)
{
	struct profil_region region = one_to_one(buf, size, 2, text_wide());

	region.scale = (bytes_per_block / WIDE_BYTES) << 16;
	return region;
}

/* A tick may also find the thread between two blocks: a counter for each byte. */
static inline uint64_t spread_total(const void *buf, size_t size, unsigned int bytes_per_block)
{
	struct text text = text_wide();
	uint64_t step = bytes_per_block / WIDE_BYTES, total = 0;

	for (uint64_t d = 0; d < text.hi - text.lo && d * step < size; d++)
		total += counter((const char *)buf + d * step, 0, 2);
	return total;
}

static inline bool race_goes_on(unsigned int starts, time_t begin)
{
	if (starts < RACE_STARTS_LEAST)
		return true;
	return starts < RACE_STARTS && time(NULL) - begin < RACE_SECONDS;
}

#endif /* SELFTESTS_SPREAD_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_COUNTER_H
#define _PROFIL_COUNTER_H

#include <linux/types.h>

#include "compat.h"
#include "region.h"

/* What is compared and swapped at once. */
#define PROFIL_WORD_BYTES	sizeof(profil_word)
#define PROFIL_WORD_MASK	(~(u64)(PROFIL_WORD_BYTES - 1))

/*
 * Bytes from the beginning of a counter of the region to @addr: not 0 only for
 * what profil_counter_carry() is called with.
 */
static inline unsigned int
profil_counter_offset(const struct profil_region_compiled *counter, u64 addr)
{
	return (addr - counter->buf) & (counter->width - 1);
}

/* Is all of the counter in one word? Those that are not aligned may span two. */
static __always_inline bool
profil_counter_is_in_word(const struct profil_region_compiled *counter, u64 addr)
{
	return likely((addr & ~PROFIL_WORD_MASK) + counter->width <= PROFIL_WORD_BYTES);
}

int profil_counter_add_in_word(const struct profil_region_compiled *counter, u64 addr);
int profil_counter_add(const struct profil_region_compiled *counter, u64 addr, u64 *carry);
int profil_counter_carry(const struct profil_region_compiled *counter, u64 *carry);
bool profil_mm_loaded(u64 addr);
int profil_sample_store(u64 addr, u32 width, u64 pc);

#endif /* _PROFIL_COUNTER_H */

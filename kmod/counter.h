/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters and samples in user memory. */
#ifndef _PROFIL_COUNTER_H
#define _PROFIL_COUNTER_H

#include "region.h"

/* What a tick does with a counter. */
enum profil_count {
	PROFIL_COUNT_STORE,	/* store the new value */
	PROFIL_COUNT_SATURATED,	/* counted, but do not change the counter */
	PROFIL_COUNT_STOP,	/* do not change the counter, stop the profile */
};

/**
 * profil_counter_next() - what a tick does with a counter.
 * @r:   its region.
 * @old: its value. A value above the limit counts as the limit.
 * @new: out: its next value, for PROFIL_COUNT_STORE only.
 */
static __always_inline enum profil_count
profil_counter_next(const struct profil_region_compiled *r, u64 old, u64 *new)
{
	if (likely(old < r->limit)) {
		*new = old + 1;
		return PROFIL_COUNT_STORE;
	}

	switch (r->at_limit) {
	case PROFIL_LIMIT_WRAP:
		*new = 0;
		return PROFIL_COUNT_STORE;
	case PROFIL_LIMIT_STOP:
		return PROFIL_COUNT_STOP;
	default:
		return PROFIL_COUNT_SATURATED;
	}
}

/*
 * Tries to change a word by compare-and-swap. One fails only if another CPU has changed
 * the word. So even if this many CPUs change one word at the same moment, each succeeds.
 */
#define PROFIL_CAS_TRIES	64

int profil_counter_add(const struct profil_region_compiled *counter, u64 addr);
int profil_counter_store(u64 addr, u32 width, u64 value);

#endif /* _PROFIL_COUNTER_H */

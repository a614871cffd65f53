/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often each pc occurs: a hash table with open addressing. */
#ifndef PC_COUNTS_H
#define PC_COUNTS_H

#include <stddef.h>
#include <stdint.h>

struct pc_count {
	uint64_t	pc;
	uint64_t	count;	/* 0: the slot is free */
};

struct pc_counts {
	struct pc_count	*slots;
	size_t		size;	/* a power of two, or 0 */
	size_t		used;
};

void pc_counts_add(struct pc_counts *table, uint64_t pc, uint64_t count);

/* That of @pc, whose count may change, but not become 0; NULL: there is none. */
struct pc_count *pc_counts_find(const struct pc_counts *table, uint64_t pc);
void pc_counts_clear(struct pc_counts *table);
void pc_counts_free(struct pc_counts *table);

#endif

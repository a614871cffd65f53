/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts how often each PC occurs. */
#ifndef PC_COUNTS_H
#define PC_COUNTS_H

#include "common/hash_set.h"

#include <stddef.h>
#include <stdint.h>

struct pc_count {
	uint64_t	pc;
	uint64_t	count;
};

struct pc_counts {
	struct pc_count	*list;	/* in the order of their first occurrence */
	size_t		n, room;
	struct hash_set	set;	/* finds them by PC */
};

void pc_counts_add(struct pc_counts *table, uint64_t pc, uint64_t count);

/* The entry of @pc, whose count the caller may change, or NULL. */
struct pc_count *pc_counts_find(const struct pc_counts *table, uint64_t pc);
void pc_counts_clear(struct pc_counts *table);
void pc_counts_free(struct pc_counts *table);

#endif

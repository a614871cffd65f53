/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often each pc occurs. */
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
	struct pc_count	*list;	/* as they came */
	size_t		n, room;
	struct hash_set	set;	/* of them, by pc */
};

void pc_counts_add(struct pc_counts *table, uint64_t pc, uint64_t count);

/* That of @pc, whose count may change; NULL: there is none. */
struct pc_count *pc_counts_find(const struct pc_counts *table, uint64_t pc);
void pc_counts_clear(struct pc_counts *table);
void pc_counts_free(struct pc_counts *table);

#endif

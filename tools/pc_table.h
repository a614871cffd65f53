/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often each pc occurs: a hash table with open addressing. */
#ifndef PC_TABLE_H
#define PC_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct pc_count {
	uint64_t	pc;
	uint64_t	count;	/* 0: the slot is free */
};

struct pc_table {
	struct pc_count	*slots;
	size_t		size;	/* a power of two, or 0 */
	size_t		used;
};

void pc_table_add(struct pc_table *table, uint64_t pc, uint64_t count);
void pc_table_clear(struct pc_table *table);
void pc_table_free(struct pc_table *table);

#endif

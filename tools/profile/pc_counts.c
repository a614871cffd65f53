// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/pc_counts.h"
#include "common/memory.h"

#include <stdlib.h>

struct wanted {
	const struct pc_count	*list;
	uint64_t		pc;
};

static bool is_same(const void *context, uint32_t i)
{
	const struct wanted *wanted = context;

	return wanted->list[i].pc == wanted->pc;
}

static inline uint32_t *find_slot(const struct pc_counts *table, uint64_t pc)
{
	const struct wanted wanted = { table->list, pc };

	return hash_set_find(&table->set, hash_set_mix(0, pc), is_same, &wanted);
}

struct pc_count *pc_counts_find(const struct pc_counts *table, uint64_t pc)
{
	uint32_t found = table->n ? *find_slot(table, pc) : 0;

	return found ? &table->list[found - 1] : NULL;
}

static struct pc_count *add(struct pc_counts *table, uint64_t pc)
{
	hash_set_reserve(&table->set, table->n);
	ensure(table->list, table->n, table->room);
	table->list[table->n] = (struct pc_count){ pc, 0 };
	*find_slot(table, pc) = (uint32_t)table->n + 1;
	return &table->list[table->n++];
}

void pc_counts_add(struct pc_counts *table, uint64_t pc, uint64_t count)
{
	struct pc_count *found = pc_counts_find(table, pc);

	if (!found)
		found = add(table, pc);
	found->count += count;
}

void pc_counts_clear(struct pc_counts *table)
{
	hash_set_clear(&table->set, table->n);
	table->n = 0;
}

void pc_counts_free(struct pc_counts *table)
{
	free(table->list);
	hash_set_free(&table->set);
	*table = (struct pc_counts){ 0 };
}

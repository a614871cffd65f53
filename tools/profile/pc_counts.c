// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/pc_counts.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_FIRST	1024

/* Multiplication by 2^64 / golden ratio spreads neighbouring pcs. */
static size_t slot_of(const struct pc_counts *table, uint64_t pc)
{
	return (size_t)((pc * 0x9e3779b97f4a7c15ULL) >> 20) & (table->size - 1);
}

static struct pc_count *find(const struct pc_counts *table, uint64_t pc)
{
	size_t i = slot_of(table, pc);

	while (table->slots[i].count && table->slots[i].pc != pc)
		i = (i + 1) & (table->size - 1);
	return &table->slots[i];
}

static void grow(struct pc_counts *table)
{
	struct pc_counts old = *table;
	size_t i;

	table->size = old.size ? 2 * old.size : SIZE_FIRST;
	table->slots = allocate(table->size * sizeof(*table->slots));
	for (i = 0; i < old.size; i++)
		if (old.slots[i].count)
			*find(table, old.slots[i].pc) = old.slots[i];
	free(old.slots);
}

void pc_counts_add(struct pc_counts *table, uint64_t pc, uint64_t count)
{
	struct pc_count *slot;

	if (2 * table->used >= table->size)
		grow(table);
	slot = find(table, pc);
	if (!slot->count) {
		slot->pc = pc;
		table->used++;
	}
	slot->count += count;
}

struct pc_count *pc_counts_find(const struct pc_counts *table, uint64_t pc)
{
	struct pc_count *slot = table->size ? find(table, pc) : NULL;

	return slot && slot->count ? slot : NULL;
}

void pc_counts_clear(struct pc_counts *table)
{
	/* What was needed once must not be gone through each time. */
	if (table->size > SIZE_FIRST && table->size / 64 > table->used)
		pc_counts_free(table);
	if (table->used)
		memset(table->slots, 0, table->size * sizeof(*table->slots));
	table->used = 0;
}

void pc_counts_free(struct pc_counts *table)
{
	free(table->slots);
	*table = (struct pc_counts){ NULL };
}

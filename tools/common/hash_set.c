// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/hash_set.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define SIZE_FIRST	1024

uint64_t hash_set_keys[2];

__attribute__((constructor)) static void choose_keys(void)
{
	/* 16 bytes from the kernel. */
	memcpy(hash_set_keys, (const void *)getauxval(AT_RANDOM), sizeof(hash_set_keys));
	hash_set_keys[1] |= 1;
}

uint64_t hash_set_mix_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = hash_set_mix(hash, (unsigned char)*text++);
	return hash;
}

void hash_set_begin(struct hash_set *set, size_t n)
{
	set->size = SIZE_FIRST;
	while (3 * n >= 2 * set->size)
		set->size *= 2;
	set->slots = allocate(set->size * sizeof(*set->slots));
}

void hash_set_grow(struct hash_set *set)
{
	struct hash_set old = *set;
	size_t i, at;

	set->size = old.size ? 2 * old.size : SIZE_FIRST;
	set->slots = allocate(set->size * sizeof(*set->slots));
	for (i = 0; i < old.size; i++) {
		if (!old.slots[i].index)
			continue;
		at = old.slots[i].hash & (set->size - 1);
		while (set->slots[at].index)
			at = (at + 1) & (set->size - 1);
		set->slots[at] = old.slots[i];
	}
	free(old.slots);
}

void hash_set_clear(struct hash_set *set, size_t n)
{
	/* A table that was once large would be slow to clear each time. */
	if (set->size > SIZE_FIRST && set->size / 64 > n)
		hash_set_free(set);
	else if (n)
		memset(set->slots, 0, set->size * sizeof(*set->slots));
}

void hash_set_free(struct hash_set *set)
{
	free(set->slots);
	*set = (struct hash_set){ 0 };
}

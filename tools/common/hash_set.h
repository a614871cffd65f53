/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds elements of an array by value: a hash table of their indices, with open
 * addressing. The caller has the array, and a function that compares its elements. Half
 * of the hash is in the table, so elements with another hash are not looked at.
 */
#ifndef HASH_SET_H
#define HASH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint32_t	hash;
	uint32_t	index;	/* + 1; 0: free */
};

struct hash_set {
	struct hash_slot *slots;
	size_t		size;	/* a power of two, or 0 */
};

/* Whether element @i equals @wanted. */
typedef bool hash_set_same(const void *wanted, uint32_t i);

/* Random, or a hostile profile could choose elements with the same hash. */
extern uint64_t hash_set_keys[2];

/* Adds @value to @hash, which begins as 0. */
static inline uint64_t hash_set_mix(uint64_t hash, uint64_t value)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ value ^ hash_set_keys[0]) *
				    hash_set_keys[1];

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_set_mix_text(uint64_t hash, const char *text);

/* Makes a table that has room for @n elements. */
void hash_set_begin(struct hash_set *set, size_t n);

/* Doubles the table. */
void hash_set_grow(struct hash_set *set);

/* Makes room for one more element; there are @n. */
static inline void hash_set_reserve(struct hash_set *set, size_t n)
{
	if (3 * n >= 2 * set->size)
		hash_set_grow(set);
}

/*
 * The index, + 1, of the element that has @hash and for which @same is true, or a 0 that
 * the caller replaces to add it. The set must have room. Inline, so that @same is inlined.
 */
static inline uint32_t *hash_set_find(const struct hash_set *set, uint64_t hash,
				      hash_set_same *same, const void *wanted)
{
	uint32_t high = (uint32_t)(hash >> 32);
	size_t at = high & (set->size - 1);
	struct hash_slot *slot = &set->slots[at];

	while (slot->index && (slot->hash != high || !same(wanted, slot->index - 1))) {
		at = (at + 1) & (set->size - 1);
		slot = &set->slots[at];
	}
	slot->hash = high;
	return &slot->index;
}

/* Fetches what hash_set_find() reads first, while the caller does something else. */
static inline void hash_set_fetch(const struct hash_set *set, uint64_t hash)
{
	__builtin_prefetch(&set->slots[(uint32_t)(hash >> 32) & (set->size - 1)]);
}

/* Removes all @n elements. */
void hash_set_clear(struct hash_set *set, size_t n);
void hash_set_free(struct hash_set *set);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds elements of an array by value: a hash table of their indices, with open
 * addressing. The caller has the array, and functions that hash and compare its
 * elements.
 */
#ifndef HASH_SET_H
#define HASH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_set {
	uint32_t	*slots;	/* index + 1; 0: free */
	size_t		size;	/* a power of two, or 0 */
};

/* The hash of element @i. */
typedef uint64_t hash_set_hash(const void *elements, uint32_t i);

/* Whether element @i equals @wanted. */
typedef bool hash_set_same(const void *wanted, uint32_t i);

/* Adds @value to @hash, which begins as 0. */
static inline uint64_t hash_set_mix(uint64_t hash, uint64_t value)
{
	/* 2^64 / golden ratio spreads neighbouring numbers. */
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

uint64_t hash_set_mix_text(uint64_t hash, const char *text);

/* Doubles the table, and adds the @n elements again. */
void hash_set_grow(struct hash_set *set, size_t n, hash_set_hash *hash,
		   const void *elements);

/* Makes room for one more element; there are @n. */
static inline void hash_set_reserve(struct hash_set *set, size_t n,
				    hash_set_hash *hash, const void *elements)
{
	if (2 * n >= set->size)
		hash_set_grow(set, n, hash, elements);
}

/*
 * The slot of the element that has @hash and for which @same is true, or the free
 * slot where it belongs. The set must have room. Inline, so that @same is inlined.
 */
static inline uint32_t *hash_set_find(const struct hash_set *set, uint64_t hash,
				      hash_set_same *same, const void *wanted)
{
	size_t at = hash & (set->size - 1);

	while (set->slots[at] && !same(wanted, set->slots[at] - 1))
		at = (at + 1) & (set->size - 1);
	return &set->slots[at];
}

/* Removes all @n elements. */
void hash_set_clear(struct hash_set *set, size_t n);
void hash_set_free(struct hash_set *set);

#endif

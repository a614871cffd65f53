/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding elements of an array by what they are: a hash table of their numbers, with
 * open addressing. Elements are the array's owner's, whose functions tell what they
 * are; so it is one table for all kinds of them.
 */
#ifndef HASH_SET_H
#define HASH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_set {
	uint32_t	*slots;	/* numbers from 1; 0: it is free */
	size_t		size;	/* a power of two, or 0 */
};

/* That of element @i. */
typedef uint64_t hash_set_hash(const void *elements, uint32_t i);

/* Whether element @i is what is looked for. */
typedef bool hash_set_same(const void *wanted, uint32_t i);

/* Begins with a @hash of 0; then @value is in it, too. */
static inline uint64_t hash_set_mix(uint64_t hash, uint64_t value)
{
	/* 2^64 / golden ratio spreads neighbouring numbers. */
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

uint64_t hash_set_mix_text(uint64_t hash, const char *text);

/* Twice as large; takes over the @n elements. */
void hash_set_grow(struct hash_set *set, size_t n, hash_set_hash *hash,
		   const void *elements);

/* Makes room for one more than the @n elements that are in it. */
static inline void hash_set_reserve(struct hash_set *set, size_t n,
				    hash_set_hash *hash, const void *elements)
{
	if (2 * n >= set->size)
		hash_set_grow(set, n, hash, elements);
}

/*
 * Where the number of the element is, or is to be put, for which @same is true and
 * that has @hash. There is room in the set. Inline, as @same then is, too.
 */
static inline uint32_t *hash_set_find(const struct hash_set *set, uint64_t hash,
				      hash_set_same *same, const void *wanted)
{
	size_t at = hash & (set->size - 1);

	while (set->slots[at] && !same(wanted, set->slots[at] - 1))
		at = (at + 1) & (set->size - 1);
	return &set->slots[at];
}

/* Leaves none of the @n elements that are in it. */
void hash_set_clear(struct hash_set *set, size_t n);
void hash_set_free(struct hash_set *set);

#endif

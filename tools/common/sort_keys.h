/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sorts large arrays by numbers, in a time that grows with their length. To sort by
 * several numbers, sort by the least important one first.
 */
#ifndef SORT_KEYS_H
#define SORT_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* There are many: without padding. */
struct sort_key {
	uint64_t	key;
	uint32_t	index;	/* of the element */
} __attribute__((packed, aligned(4)));

/* Sorts by key. Keys that are equal keep their order. */
void sort_keys(struct sort_key *keys, size_t n);

/* Moves each of the @n elements of @size bytes into the order of @keys, and frees them. */
void sort_keys_apply(struct sort_key *keys, void *elements, size_t n, size_t size);

/* Makes keys for @n elements; the caller sets them. */
struct sort_key *sort_keys_make(size_t n);

/* Sets each key to @value, an expression of the index @i of its element, and sorts. */
#define sort_keys_by(keys, n, i, value)					\
	do {								\
		size_t at_;						\
									\
		for (at_ = 0; at_ < (n); at_++) {			\
			size_t i = (keys)[at_].index;			\
									\
			(keys)[at_].key = (value);			\
		}							\
		sort_keys((keys), (n));					\
	} while (0)

#endif

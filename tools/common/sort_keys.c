// SPDX-License-Identifier: LGPL-2.1-or-later
/* A radix sort, from the lowest digit on. Digits that are the same in all keys are left out. */
#include "common/sort_keys.h"
#include "common/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BITS	11
#define VALUES	(1U << BITS)
#define DIGITS	((64 + BITS - 1) / BITS)

static size_t digit_of(uint64_t key, unsigned int digit)
{
	return key >> (digit * BITS) & (VALUES - 1);
}

/* The bits that differ between keys; 0 if they are sorted. */
static uint64_t find_bits(const struct sort_key *keys, size_t n)
{
	uint64_t bits = 0;
	bool sorted = true;
	size_t i;

	for (i = 1; i < n; i++) {
		sorted &= keys[i - 1].key <= keys[i].key;
		bits |= keys[i].key ^ keys[0].key;
	}
	return sorted ? 0 : bits;
}

static void sort_digit(struct sort_key *to, const struct sort_key *from, size_t n,
		       unsigned int digit)
{
	size_t counts[VALUES] = { 0 }, at = 0, i;

	for (i = 0; i < n; i++)
		counts[digit_of(from[i].key, digit)]++;
	for (i = 0; i < VALUES; i++) {
		size_t more = counts[i];

		counts[i] = at;
		at += more;
	}
	for (i = 0; i < n; i++)
		to[counts[digit_of(from[i].key, digit)]++] = from[i];
}

void sort_keys(struct sort_key *keys, size_t n)
{
	struct sort_key *from = keys, *to, *other;
	uint64_t bits = find_bits(keys, n);
	unsigned int digit;

	if (!bits)
		return;
	to = allocate(n * sizeof(*to));
	for (digit = 0; digit < DIGITS; digit++) {
		if (!digit_of(bits, digit))
			continue;
		sort_digit(to, from, n, digit);
		other = from;
		from = to;
		to = other;
	}
	if (from != keys) {
		memcpy(keys, from, n * sizeof(*keys));
		to = from;
	}
	free(to);
}

struct sort_key *sort_keys_make(size_t n)
{
	struct sort_key *keys = allocate(n * sizeof(*keys));
	size_t i;

	for (i = 0; i < n; i++)
		keys[i].index = (uint32_t)i;
	return keys;
}

/* Follows each cycle of the order, and so needs room for one element only. */
void sort_keys_apply(struct sort_key *keys, void *elements, size_t n, size_t size)
{
	char *list = elements, *first = allocate(size);
	size_t i;

	for (i = 0; i < n; i++) {
		size_t at = i, from = keys[i].index;

		if (from == i)
			continue;
		memcpy(first, list + i * size, size);
		for (; from != i; at = from, from = keys[at].index) {
			memcpy(list + at * size, list + from * size, size);
			keys[at].index = (uint32_t)at;
		}
		memcpy(list + at * size, first, size);
		keys[at].index = (uint32_t)at;
	}
	free(first);
	free(keys);
}

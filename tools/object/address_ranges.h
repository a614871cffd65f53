/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the item of an address. Ranges of items may be nested. */
#ifndef ADDRESS_RANGES_H
#define ADDRESS_RANGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct address_range {
	uint64_t	low, high;	/* high is not in the range */
	uint64_t	reach;		/* highest end of all ranges up to here */
	size_t		item;
};

struct address_ranges {
	struct address_range	*list;
	size_t		n, room;
};

/* Ignores empty ranges. */
void address_ranges_add(struct address_ranges *ranges, uint64_t low,
			uint64_t high, size_t item);

/* After the last range, before the first lookup. */
void address_ranges_sort(struct address_ranges *ranges);

/* The item of the innermost range that contains @address, or -1. */
ssize_t address_ranges_find(const struct address_ranges *ranges,
			    uint64_t address);

#endif

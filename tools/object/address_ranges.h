/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranges of addresses that may be inside each other, and what is where. */
#ifndef ADDRESS_RANGES_H
#define ADDRESS_RANGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct address_range {
	uint64_t	low, high;	/* the first address, and after the last */
	uint64_t	reach;		/* the highest end up to here */
	size_t		item;
};

struct address_ranges {
	struct address_range	*list;
	size_t		n, room;
};

/* Ranges without addresses are left out. */
void address_ranges_add(struct address_ranges *ranges, uint64_t low,
			uint64_t high, size_t item);

/* After the last one, and before the first question. */
void address_ranges_sort(struct address_ranges *ranges);

/* The item of the innermost range that @address is in, or -1. */
ssize_t address_ranges_find(const struct address_ranges *ranges,
			    uint64_t address);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranges of addresses that may be inside each other, and what is where. */
#ifndef ADDRESS_RANGES_H
#define ADDRESS_RANGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct range {
	uint64_t	low, high;	/* the first address, and after the last */
	uint64_t	reach;		/* the highest end up to here */
	size_t		item;
};

struct ranges {
	struct range	*list;
	size_t		n, room;
};

/* Ranges without addresses are left out. */
void ranges_add(struct ranges *ranges, uint64_t low, uint64_t high, size_t item);

/* After the last one, and before the first question. */
void ranges_sort(struct ranges *ranges);

/* The item of the innermost range that @address is in, or -1. */
ssize_t ranges_find(const struct ranges *ranges, uint64_t address);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/address_ranges.h"
#include "common/compare.h"
#include "common/memory.h"
#include "common/bisect.h"

#include <stdlib.h>

void address_ranges_add(struct address_ranges *ranges, uint64_t low,
			uint64_t high, size_t item)
{
	if (low >= high)
		return;
	ensure(ranges->list, ranges->n, ranges->room);
	ranges->list[ranges->n++] =
		(struct address_range){ low, high, 0, item };
}

/* A range comes before the ranges inside it. */
static int compare(const void *a, const void *b)
{
	const struct address_range *x = a, *y = b;

	return compare_numbers(x->low, y->low) ?:
	       compare_numbers(y->high, x->high) ?:
	       compare_numbers(x->item, y->item);
}

void address_ranges_sort(struct address_ranges *ranges)
{
	uint64_t reach = 0;
	size_t i;

	if (ranges->n)
		qsort(ranges->list, ranges->n, sizeof(*ranges->list), compare);
	for (i = 0; i < ranges->n; i++) {
		if (ranges->list[i].high > reach)
			reach = ranges->list[i].high;
		ranges->list[i].reach = reach;
	}
}

ssize_t address_ranges_find(const struct address_ranges *ranges,
			    uint64_t address)
{
	size_t i = bisect(k, ranges->n, ranges->list[k].low <= address);

	while (i-- && ranges->list[i].reach > address)
		if (ranges->list[i].high > address)
			return (ssize_t)ranges->list[i].item;
	return -1;
}

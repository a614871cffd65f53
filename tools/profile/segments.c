// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/segments.h"
#include "common/memory.h"
#include "common/bisect.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first segment that ends after @address. */
static size_t first_after(const struct segments *segments, uint64_t address)
{
	return bisect(i, segments->n, segments->list[i].end <= address);
}

/* Replaces @n segments from @at on by @segment, or by nothing if NULL. */
static void splice(struct segments *segments, size_t at, size_t n,
		   const struct segment *segment)
{
	size_t rest = segments->n - at - n;

	ensure(segments->list, segments->n, segments->room);
	memmove(&segments->list[at + (segment ? 1 : 0)],
		&segments->list[at + n], rest * sizeof(*segments->list));
	if (segment)
		segments->list[at] = *segment;
	segments->n = at + (segment ? 1 : 0) + rest;
}

void segments_replace(struct segments *segments, uint64_t start, uint64_t end,
		      const struct segment *segment)
{
	size_t at = first_after(segments, start), n = 0;

	while (at + n < segments->n && segments->list[at + n].start < end)
		n++;
	splice(segments, at, n, segment);
}

const struct segment *segments_find(const struct segments *segments, uint64_t pc)
{
	size_t at = first_after(segments, pc);

	return at < segments->n && segments->list[at].start <= pc ?
		&segments->list[at] : NULL;
}

void segments_free(struct segments *segments)
{
	free(segments->list);
}

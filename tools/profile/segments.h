/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects in the memory of a process, by address. */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

struct segment {
	uint64_t	start;
	uint64_t	end;
	uint64_t	bias;
	uint32_t	object;
};

struct segments {
	struct segment	*list;	/* by start, without overlaps */
	size_t		n, room;
};

/* Removes segments between @start and @end, then adds @segment if it is not NULL. */
void segments_replace(struct segments *segments, uint64_t start, uint64_t end,
		      const struct segment *segment);

/* The segment that contains @pc, or NULL. Valid until the next change. */
const struct segment *segments_find(const struct segments *segments,
				    uint64_t pc);

void segments_free(struct segments *segments);

#endif

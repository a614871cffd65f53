/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is where in the memory of a process. */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

/* An object's segment in the process's memory. */
struct segment {
	uint64_t	start;
	uint64_t	end;
	uint64_t	bias;
	uint32_t	object;
};

struct segments {
	struct segment	*list;	/* by start, not overlapping */
	size_t		n, room;
};

/* What is between the two addresses gives way to @segment, or to nothing (NULL). */
void segments_replace(struct segments *segments, uint64_t start, uint64_t end,
		      const struct segment *segment);

/* The one that @pc is in, or NULL; until the next change. */
const struct segment *segments_find(const struct segments *segments,
				    uint64_t pc);

void segments_free(struct segments *segments);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel finds a caller by .eh_frame_hdr, a sorted index of .eh_frame. Static programs
 * often have no index: this makes it, and finds a place for it in the process.
 */
#ifndef FRAME_INDEX_H
#define FRAME_INDEX_H

#include "attach/code_map.h"
#include "attach/target.h"

struct frame_index {
	char		*bytes;
	size_t		size;		/* 0: the program needs none, or can have none */
	uint64_t	at;		/* its address, near the program */
	uint64_t	start;		/* of the code that it describes */
};

/* For the program itself, not for its libraries. */
struct frame_index frame_index_make(const struct target *target,
				    const struct code_map *map);

#endif

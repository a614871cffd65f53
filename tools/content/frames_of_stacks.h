/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the places of stacks to the functions there. */
#ifndef FRAMES_OF_STACKS_H
#define FRAMES_OF_STACKS_H

#include "common/sort_keys.h"
#include "content/row_maker.h"
#include "profile/worker.h"

/* The nodes with samples in or below them, by object, and in each object by address. */
struct nodes_by_place {
	const struct stacks	*stacks;
	size_t			nobjects;
	struct sort_key		*nodes;		/* keys: addresses */
	size_t			*ends;		/* of the nodes of each object */
	struct worker		worker;
};

/* Begins to sort the nodes in a thread. */
void frames_of_stacks_begin(struct nodes_by_place *sorted, const struct profile *profile);

/* Adds rows for functions that have no samples of their own. */
void frames_of_stacks_end(struct nodes_by_place *sorted, struct stack_frames *frames,
			  struct row_maker *maker);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REACHED_H
#define REACHED_H

#include "content/functions.h"
#include "profile/stacks.h"
#include "profile/worker.h"

/* A node with all below it. */
struct subtree {
	uint64_t	samples, ns;
	uint32_t	size;
	uint32_t	next;	/* the place of the next node below it */
};

struct reached {
	const struct stacks	*stacks;
	struct subtree		*list;	/* by node */
	uint32_t		*nodes;	/* each before those below it, and these together */
	struct worker		worker;
};

/* Begins to add up the stacks, in a thread, while their functions are looked up. */
void reached_begin(struct reached *reached, const struct stacks *stacks);

/* Sets the time of each function with what it called. A recursive one counts once. */
void reached_end(struct reached *reached, struct functions *functions);

#endif

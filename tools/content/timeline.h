/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples of each thread in the order of time. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "profile/profile.h"

/* Samples of one stack that follow each other. */
struct stretch {
	uint32_t	thread;
	uint32_t	node;
	uint64_t	samples;
};

struct timeline {
	struct stretch	*list;		/* by thread, that with most first, then time */
	size_t		n;
};

/* Of a profile with stacks; what has no time is there as well, in any order. */
void timeline_make(struct timeline *timeline, const struct profile *profile);
void timeline_free(struct timeline *timeline);

/* CPU time of one of its samples. */
uint64_t timeline_period(const struct profile *profile,
			 const struct stretch *stretch);

#endif

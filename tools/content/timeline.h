/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples of each thread, in order of time. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "profile/profile.h"

/* Consecutive samples of one stack. */
struct stretch {
	uint32_t	thread;
	uint32_t	node;
	uint64_t	samples;
};

struct timeline {
	struct stretch	*list;		/* by thread, most time first; then by time */
	size_t		n;
};

/* Samples without a time are included, in any order. */
void timeline_make(struct timeline *timeline, struct profile *profile);
void timeline_free(struct timeline *timeline);

/* The CPU time of one sample, in ns. */
uint64_t timeline_period(const struct profile *profile,
			 const struct stretch *stretch);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flat profile: samples by function. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "profile.h"
#include "symbols.h"

struct row {
	uint32_t	object;
	uint64_t	start, end;	/* addresses of the function */
	const char	*name;
	size_t		place, nplaces;	/* its places in the profile */
	uint64_t	samples;
	uint64_t	ns;
	uint64_t	hottest;	/* the address with the most samples */
};

struct functions {
	struct row	*rows;		/* most time first */
	size_t		n, room;
};

void functions_make(struct functions *functions, struct profile *profile);
void functions_free(struct functions *functions);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The flat profile: samples by function. A function that has been inlined has
 * a row of its own in each object, whatever it was inlined into. If there are
 * stacks, functions that have only called others have rows without samples and
 * places, and so has what the kernel was asked for.
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "content/stack_frames.h"
#include "object/debug_info.h"
#include "object/symbols.h"
#include "profile/profile.h"

/* A function that another one is inlined into. */
struct site {
	const char	*name;
	uint64_t	start, end;
	uint64_t	samples;	/* in what is inlined there */
};

struct row {
	uint32_t	object;
	const char	*name;
	bool		inlined;
	bool		known;		/* the name is one */
	uint64_t	start, end;	/* its code; of an inlined one: 0 */
	struct line	declared;	/* an inlined one */
	size_t		*places;	/* in it, and in what is inlined into it */
	size_t		nplaces, places_room;
	uint64_t	samples, ns;	/* in itself */
	uint64_t	total, total_ns;	/* in all its places */
	uint64_t	reached, reached_ns;	/* in the stacks that it is in */
	uint64_t	hottest;	/* its address with the most samples */
	struct site	*sites;		/* of an inlined one */
	size_t		nsites, sites_room;
	uint32_t	number;		/* until all have been made */
};

struct functions {
	struct row	*rows;		/* most time in itself first */
	size_t		n, room;
	struct stack_frames frames;	/* if the profile has stacks */
};

void functions_free(struct functions *functions);

/* Which of the @n frames is the row's; NULL: none. */
const struct frame *functions_frame(const struct row *row,
				    const struct frame *frames, size_t n);

/* Functions are told apart by their code, inlined ones by their source. */
int functions_compare_rows(const struct row *x, const struct row *y);

#endif

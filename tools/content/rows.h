/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The flat profile: samples by function. A function that has been inlined has
 * a row of its own in each object, whatever it was inlined into. If there are
 * stacks, functions that have only called others have rows without samples and
 * places, and so has what the kernel was asked for.
 */
#ifndef ROWS_H
#define ROWS_H

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

#define NO_ROW	UINT32_MAX

/*
 * The functions at places of stacks: numbers of rows, outermost first, in lists
 * that end with NO_ROW.
 */
struct stack_frames {
	uint32_t	*rows;
	size_t		n, room;
	uint32_t	*of_node;	/* where the list of each stack_node begins; */
					/* 0: no sample is in it or below it */
};

struct functions {
	struct row	*rows;		/* most time in itself first */
	size_t		n, room;
	struct stack_frames frames;	/* if the profile has stacks */
};

#endif

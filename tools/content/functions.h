/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The flat profile: samples by function. An inlined function has one row in each
 * object, with the samples of all places that it was inlined into. Functions that
 * only call others have rows without samples, and so have system calls.
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "content/stack_frames.h"
#include "object/debug_info.h"
#include "object/symbols.h"
#include "profile/profile.h"

/* A function into which another one is inlined. */
struct site {
	const char	*name;
	uint64_t	start, end;
	uint64_t	samples;	/* of the code inlined there */
};

struct row {
	uint32_t	object;
	const char	*name;
	bool		inlined;
	bool		known;		/* the name is not made from the address */
	uint64_t	start, end;	/* its code; inlined: 0 */
	struct line	declared;	/* inlined: its source */
	size_t		*places;	/* in it and in calls inlined into it */
	size_t		nplaces, places_room;
	uint64_t	samples, ns;	/* in itself */
	uint64_t	total, total_ns;	/* in all its places */
	uint64_t	reached, reached_ns;	/* in the stacks that contain it */
	uint64_t	hottest;	/* its address with the most samples */
	struct site	*sites;		/* inlined: into what */
	size_t		nsites, sites_room;
	uint32_t	number;		/* its index before rows are sorted */
};

struct functions {
	struct row	*rows;		/* most time in itself first */
	size_t		n, room;
	struct stack_frames frames;	/* of the profile's stacks */
};

void functions_free(struct functions *functions);

/* The one of the @n frames that belongs to the row, or NULL. */
const struct frame *functions_frame(const struct row *row,
				    const struct frame *frames, size_t n);

bool functions_same_line(const struct line *x, const struct line *y);

/* Compares functions by their code, inlined ones by their source. */
int functions_compare_rows(const struct row *x, const struct row *y);

#endif

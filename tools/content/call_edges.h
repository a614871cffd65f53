/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What functions cost in themselves, and in what they called, by addresses: for
 * viewers that know functions and calls, but no stacks. Inlined calls are part of
 * the function that they are in.
 */
#ifndef CALL_EDGES_H
#define CALL_EDGES_H

#include "content/report.h"

struct call_edge {
	uint32_t	row;		/* the function; NO_ROW: of what has no caller */
	uint32_t	callee;		/* another one; NO_ROW: in itself */
	uint64_t	address;	/* in the function */
	uint64_t	samples;
};

struct call_edges {
	struct call_edge	*list;	/* by row, address, callee */
	size_t			n, room;
};

/*
 * Of all stacks. Of a function that calls itself, by others or not, only the
 * outermost call is one: so that the sum of its calls is what it has reached. Those
 * of one name, file and object are one there: so viewers see them.
 */
void call_edges_make(struct call_edges *edges, const struct report *report);
void call_edges_free(struct call_edges *edges);

#endif

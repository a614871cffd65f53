/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions and calls by address, for viewers that do not know stacks. Inlined calls
 * are part of the function that contains them.
 */
#ifndef CALL_EDGES_H
#define CALL_EDGES_H

#include "content/report.h"

struct call_edge {
	uint32_t	row;		/* the function; NO_ROW: none, for a call without caller */
	uint32_t	callee;		/* the called function; NO_ROW: samples of the function itself */
	uint64_t	address;	/* in the function */
	uint64_t	samples;
};

struct call_edges {
	struct call_edge	*list;	/* by row, address, callee */
	size_t			n, room;
};

/*
 * Makes the edges of all stacks. Of recursive calls only the outermost is an edge, so
 * that the sum of the calls of a function is its total. Functions with the same name,
 * file and object count as one here, as they do for viewers.
 */
void call_edges_make(struct call_edges *edges, const struct report *report);
void call_edges_free(struct call_edges *edges);

#endif

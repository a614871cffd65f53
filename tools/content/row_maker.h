/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the rows of functions: one row for all addresses of a function. */
#ifndef ROW_MAKER_H
#define ROW_MAKER_H

#include "content/functions.h"

/* A row under construction. */
struct row_making {
	struct row	row;
	uint64_t	at, here;	/* the last address, and its samples */
	uint64_t	most;		/* samples at the hottest address */
};

struct row_maker {
	struct profile	*profile;
	void		*index;		/* tsearch() tree of struct row_making */
	struct row_making	**list;		/* by number of the row */
	size_t		n, room;
	struct row_making	*last[2];	/* found last; 1: of inlined ones */
};

/*
 * The row of @function in object @object or, if @inlined, of @frame; a new one if
 * necessary. Frames of an address are innermost first, and all but the last one are
 * inlined.
 */
struct row_making *row_maker_find(struct row_maker *maker, uint32_t object,
				  const struct function *function,
				  const struct frame *frame, bool inlined);
void row_maker_end(struct row_maker *maker);

#endif

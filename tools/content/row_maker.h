/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of functions while they are made: the same function of several addresses
 * is one row.
 */
#ifndef ROW_MAKER_H
#define ROW_MAKER_H

#include "content/functions.h"

/* A row that is being filled. */
struct row_making {
	struct row	row;
	uint64_t	at, here;	/* samples at the last address */
	uint64_t	most;		/* at the hottest one */
};

struct row_maker {
	struct profile	*profile;
	void		*index;		/* tsearch() tree of struct row_making */
	struct row_making	**list;		/* by their rows' numbers */
	size_t		n, room;
};

/*
 * The row of @function of object number @object, or, if it is @inlined there, of
 * @frame. It is made if there is none. Of the frames of an address, which are
 * innermost first, only the last one is not inlined.
 */
struct row_making *row_maker_find(struct row_maker *maker, uint32_t object,
				  const struct function *function,
				  const struct frame *frame, bool inlined);
void row_maker_end(struct row_maker *maker);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trees of calls, while they are made. */
#ifndef CALL_BUILDER_H
#define CALL_BUILDER_H

#include "common/hash_set.h"
#include "content/call_tree.h"

struct call_builder {
	struct call_tree	*tree;
	size_t			room;
	struct hash_set		set;	/* of calls, by caller and row */
};

/* A tree of nothing but a root. */
void call_builder_begin(struct call_builder *builder, struct call_tree *tree);

/* The call of @row by call @parent; it is made if there is none. */
uint32_t call_builder_find(struct call_builder *builder, uint32_t parent,
			   uint32_t row);

/*
 * When all calls have their own samples: adds them up, and puts the calls in order.
 * To be freed: where each has gone.
 */
uint32_t *call_builder_end(struct call_builder *builder);

#endif

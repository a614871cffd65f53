/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds call trees. */
#ifndef CALL_BUILDER_H
#define CALL_BUILDER_H

#include "common/hash_set.h"
#include "content/call_tree.h"

/* A call, while calls are in any order. The caller adds up its own samples. */
struct made_call {
	uint32_t	parent, row;
	uint64_t	samples, ns;
};

struct call_builder {
	struct made_call	*calls;		/* 0 is the root */
	size_t			n, room;
	struct hash_set		set;	/* finds calls by caller and row */
};

/* Begins a tree, which has only a root. About @n calls will be added. */
void call_builder_begin(struct call_builder *builder, size_t n);

/* The call of @row by call @parent; a new one if necessary. */
uint32_t call_builder_find(struct call_builder *builder, uint32_t parent,
			   uint32_t row);

/* Fetches what call_builder_find() reads first, while the caller does something else. */
void call_builder_fetch(const struct call_builder *builder, uint32_t parent,
			uint32_t row);

/*
 * Once all calls have their own samples: makes the tree, but for `of_node`. Returns the
 * new index of each call, which the caller frees.
 */
uint32_t *call_builder_end(struct call_builder *builder, struct call_tree *tree);

#endif

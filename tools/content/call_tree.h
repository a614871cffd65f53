/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The call tree: the stacks of a profile as a tree of functions. Inlined calls are
 * calls. Time in the kernel is a call as well, of a function like "[read]" or
 * "[interrupt or fault]" in an object whose `kernel` is set.
 */
#ifndef CALL_TREE_H
#define CALL_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* A function below its callers. Calls from different lines are one. */
struct call {
	uint32_t	parent;		/* its caller; the root's is the root */
	uint32_t	row;		/* its function; the root's: NO_ROW */
	uint32_t	end;		/* the calls below it end before this index */
	uint32_t	depth;		/* the root's is 0 */
	uint64_t	samples, ns;	/* in itself */
	uint64_t	total, total_ns;	/* and in what it called */
};

/*
 * Calls are in the order of a walk, those with the most time first. The first callee
 * of a call follows it, and the next callee begins at the end of the first one.
 */
struct call_tree {
	struct call	*calls;		/* 0 is the root */
	size_t		n;
	uint32_t	*of_node;	/* the innermost call of each stack_node */
};

static inline void call_tree_free(struct call_tree *tree)
{
	free(tree->calls);
	free(tree->of_node);
	*tree = (struct call_tree){ 0 };
}

#endif

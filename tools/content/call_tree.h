/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who called whom: the stacks of a profile as a tree of functions, with inlined
 * calls as calls. Time in the kernel is a call as well, of a function "[read]",
 * "[page fault]" and so on in an object whose `kernel` is set.
 */
#ifndef CALL_TREE_H
#define CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

/* A function under its callers, from wherever in them it was called. */
struct call {
	uint32_t	parent;		/* its caller; that of the root is itself */
	uint32_t	row;		/* of the functions; the root's: NO_ROW */
	uint32_t	end;		/* all below it are from the next one to here */
	uint32_t	depth;		/* the root's is 0 */
	uint64_t	samples, ns;	/* in itself */
	uint64_t	total, total_ns;	/* and in what it called */
};

/*
 * In the order of walking through it, those with most time first: a call's first
 * callee follows it, and the next one begins where that one ends.
 */
struct call_tree {
	struct call	*calls;		/* 0 is the root */
	size_t		n;
	uint32_t	*of_node;	/* the innermost call of each stack_node */
};

void call_tree_free(struct call_tree *tree);

#endif

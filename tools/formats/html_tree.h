/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The call tree in the data of the page. If there are too many calls, those with few
 * samples are omitted. Then one node stands for all omitted calls below a call, and
 * below it are the functions with their samples.
 */
#ifndef HTML_TREE_H
#define HTML_TREE_H

#include "common/varints.h"
#include "content/report.h"

struct html_node {
	uint32_t	call;		/* from 1; 0: of omitted ones */
	uint32_t	around;		/* then the node of omitted calls above it, or 0 */
};

struct html_tree {
	uint32_t	*numbers;	/* in the page, from 1, of calls with */
					/* samples of their own */
	uint32_t	n;		/* number of nodes */
	struct html_node *nodes;	/* that of number 1 first */
	size_t		room;
	uint64_t	least;		/* calls with fewer samples are omitted */
	struct varints	packed;		/* see html_stacks.c */
};

/* @functions: the number of each row in the page, then that for omitted calls. */
void html_tree_make(struct html_tree *tree, const struct report *report,
		    const uint32_t *functions);
void html_tree_free(struct html_tree *tree);

#endif

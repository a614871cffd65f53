/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree of calls as the page has it. If there are too many, calls with few
 * samples are left out between those that are kept and those that the samples
 * are in: a node FEW stands for them.
 */
#ifndef HTML_TREE_H
#define HTML_TREE_H

#include "content/report.h"
#include "formats/html_packed.h"

struct html_tree {
	uint32_t	*numbers;	/* of the calls that have samples in them; */
					/* the page's first one is 1 */
	uint32_t	n;		/* how many */
	uint64_t	least;		/* samples of those that are kept */
	struct html_packed	packed;		/* see html_stacks.c */
};

/* @functions: the page's number of each row, and behind the last one's, FEW's. */
void html_tree_make(struct html_tree *tree, const struct report *report,
		    const uint32_t *functions);
void html_tree_free(struct html_tree *tree);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merges the call trees of two profiles. Two calls are the same if their functions and
 * those of all their callers are. In the merged tree, `samples` and `total` have the
 * time of a call in the earlier profile in ns, and `ns` and `total_ns` its time now.
 */
#ifndef MERGED_CALLS_H
#define MERGED_CALLS_H

#include "content/identities.h"
#include "content/report.h"

struct merged_calls {
	struct identities	functions;	/* a call's row is a number of these */
	struct call_tree	tree;
	uint32_t		*of_after;	/* the merged call of each call now */
};

/* The trees are those of @report->before and @report, or parts of them. */
void merged_calls_make(struct merged_calls *merged, const struct report *report,
		       const struct call_tree *before, const struct call_tree *after);
void merged_calls_free(struct merged_calls *merged);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The call stacks in the data of the page. */
#ifndef HTML_STACKS_H
#define HTML_STACKS_H

#include "content/report.h"
#include "formats/html_bins.h"
#include "formats/html_tree.h"
#include "profile/worker.h"

struct html_stacks {
	const struct report	*report;
	uint32_t		*functions;	/* the number of each row in the page */
	uint32_t		*others;	/* the rows that are not in the table, by number */
	size_t			nothers, room;
	struct html_tree	tree;
	struct html_bins	bins;
	struct varints		*lanes;		/* the samples of each */
	struct worker		worker;
};

/* Begins to make them in a thread. The table of the page has the first @n functions. */
void html_stacks_begin(struct html_stacks *stacks, const struct report *report, size_t n);

/* Writes the member "stacks". */
void html_stacks_end(struct html_stacks *stacks, FILE *out);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of a line of --diff. */
#ifndef CHANGE_H
#define CHANGE_H

#include "content/report.h"

/* Width of the output of change_write(). */
#define CHANGE_COLUMNS	50

struct change {
	uint64_t	before, after;	/* ns */
};

uint64_t change_distance(const struct change *change);

/* The head of these columns. */
void change_write_head(FILE *out);

/* The columns, at the start of a line. */
void change_write(const struct change *change, const struct report *report,
		  FILE *out);

/* The last line: all CPU time of both profiles. */
void change_write_sum(const struct report *report, FILE *out);

#endif

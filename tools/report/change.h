/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of a line of --diff. */
#ifndef CHANGE_H
#define CHANGE_H

#include "content/report.h"

/* Width of the output of change_write(). */
#define CHANGE_COLUMNS	52

/* Seconds of CPU time of a function or call: the mean of the runs of each side. */
struct change {
	double	before, after;
};

/* @before and @after are sums over the runs, in ns. */
struct change change_make(const struct report *report, uint64_t before, uint64_t after);

/* The size of the change, in ns. */
uint64_t change_distance(const struct change *change);

/* The head of these columns. */
void change_write_head(FILE *out);

/* The columns, at the start of a line. */
void change_write(const struct change *change, const struct report *report,
		  FILE *out);

/* The last lines: what "~" means, and all CPU time of both sides. */
void change_write_sum(const struct report *report, FILE *out);

#endif

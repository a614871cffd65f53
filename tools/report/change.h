/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much time something took before, and takes now, as text. */
#ifndef CHANGE_H
#define CHANGE_H

#include "content/report.h"

/* Columns that change_write() takes. */
#define CHANGE_COLUMNS	50

struct change {
	uint64_t	before, after;	/* ns */
};

uint64_t change_distance(const struct change *change);

/* The line above all of them, but for its end. */
void change_write_head(FILE *out);

/* The beginning of a line. */
void change_write(const struct change *change, const struct report *report,
		  FILE *out);

/* And the line below them: all of both profiles. */
void change_write_sum(const struct report *report, FILE *out);

#endif

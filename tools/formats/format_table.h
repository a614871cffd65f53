/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of formats. */
#ifndef FORMAT_TABLE_H
#define FORMAT_TABLE_H

#include "formats/formats.h"

/* For each function its time with what it called; the call tree; the times of samples. */
enum { NEEDS_NOTHING, NEEDS_TOTALS = 1, NEEDS_CALLS = 2, NEEDS_TIMES = 4 };

struct format {
	const char	*name;
	const char	*note;
	report_writer	*write;
	bool		binary;
	unsigned int	needs;	/* NEEDS_* */
	unsigned int	limit;
};

/* Ends with an entry without a name. */
extern const struct format format_table[];

/* The format called @name, or NULL. */
const struct format *format_table_find(const char *name);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of formats. */
#ifndef FORMAT_TABLE_H
#define FORMAT_TABLE_H

#include "formats/formats.h"

/* For each function its time with what it called, or the call tree. */
enum format_needs { NEEDS_NOTHING, NEEDS_TOTALS, NEEDS_CALLS };

struct format {
	const char	*name;
	const char	*note;
	report_writer	*write;
	bool		binary;
	enum format_needs needs;
	unsigned int	limit;
};

/* Ends with an entry without a name. */
extern const struct format format_table[];

/* The format called @name, or NULL. */
const struct format *format_table_find(const char *name);

#endif

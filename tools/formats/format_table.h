/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of formats. */
#ifndef FORMAT_TABLE_H
#define FORMAT_TABLE_H

#include "formats/formats.h"

struct format {
	const char	*name;
	const char	*note;
	report_writer	*write;
	bool		binary;
	bool		calls;		/* it needs the call tree */
	unsigned int	limit;
};

/* Ends with an entry without a name. */
extern const struct format format_table[];

/* The format called @name, or NULL. */
const struct format *format_table_find(const char *name);

#endif

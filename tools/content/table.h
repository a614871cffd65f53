/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of a table: chosen and sorted as --min, --limit and --sort say. */
#ifndef TABLE_H
#define TABLE_H

#include "content/report.h"

struct table {
	const struct row	**rows;
	size_t			n;
	size_t			all;	/* without --min and --limit */
};

void table_make(struct table *table, const struct report *report);
void table_free(struct table *table);

#endif

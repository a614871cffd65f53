// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/table.h"
#include "common/compare.h"
#include "common/memory.h"
#include "content/totals.h"

#include <stdlib.h>
#include <string.h>

static int compare_totals(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a;
	const struct row *y = *(const struct row *const *)b;

	/* Rows are in order of their own time. */
	return compare_numbers(y->reached_ns, x->reached_ns) ?: (x > y) - (x < y);
}

static int compare_names(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a;
	const struct row *y = *(const struct row *const *)b;

	return strcmp(x->name, y->name) ?: (x > y) - (x < y);
}

/* The time that counts for --min. */
static uint64_t time_of(const struct report *report, const struct row *row)
{
	return report->sort == SORT_TOTAL ? row->reached_ns : row->ns;
}

void table_make(struct table *table, const struct report *report)
{
	const struct functions *functions = &report->functions;
	size_t i;

	*table = (struct table){ allocate(functions->n * sizeof(*table->rows)), 0, 0 };
	for (i = 0; i < functions->n; i++) {
		uint64_t ns = time_of(report, &functions->rows[i]);

		table->all += ns > 0;
		if (ns && totals_percent(ns, report->profile->ns) >= report->least)
			table->rows[table->n++] = &functions->rows[i];
	}
	if (table->n && report->sort != SORT_SELF)
		qsort(table->rows, table->n, sizeof(*table->rows),
		      report->sort == SORT_TOTAL ? compare_totals : compare_names);
	if (report->limit && table->n > report->limit)
		table->n = report->limit;
}

void table_free(struct table *table)
{
	free(table->rows);
}

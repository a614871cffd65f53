// SPDX-License-Identifier: LGPL-2.1-or-later
/* Comma-separated values as in RFC 4180: the rows of the table, with a head. */
#include "common/memory.h"
#include "content/report.h"
#include "content/table.h"
#include "content/titles.h"
#include "content/totals.h"
#include "formats/formats.h"

#include <inttypes.h>
#include <stdlib.h>

static void write_text(const char *text, FILE *out)
{
	fputs(",\"", out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void write_row(const struct report *report, const struct row *row, FILE *out)
{
	const struct object *object = &report->profile->objects[row->object];
	char *place = titles_place(report, row);

	fprintf(out, "%" PRIu64 ",%.6f,%.4f,%.6f,%.4f", row->samples,
		(double)row->ns / NS_PER_SECOND,
		totals_percent(row->ns, report->profile->ns),
		(double)row->reached_ns / NS_PER_SECOND,
		totals_percent(row->reached_ns, report->profile->ns));
	write_text(row->name, out);
	fputs(row->inlined ? ",1" : ",0", out);
	write_text(object->shown, out);
	write_text(place, out);
	fputs("\r\n", out);
	free(place);
}

bool report_csv(const struct report *report, FILE *out)
{
	struct table table;
	size_t i;

	table_make(&table, report);
	fputs("samples,seconds,percent,total_seconds,total_percent,function,inlined,"
	      "object,hottest\r\n", out);
	for (i = 0; i < table.n; i++)
		write_row(report, table.rows[i], out);
	table_free(&table);
	return true;
}

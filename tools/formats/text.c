// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of functions, and of processes. */
#include "common/compare.h"
#include "common/memory.h"
#include "content/report.h"
#include "content/table.h"
#include "content/text_columns.h"
#include "content/titles.h"
#include "content/totals.h"
#include "formats/formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES_MOST	10	/* with -n 0, all */

/* --- the table --------------------------------------------------------------- */

/* Widths of the columns of names; 0: no such column. */
struct widths {
	size_t	function, object, place;
};

#define NUMBERS		38	/* width of share, samples, seconds and total */
#define GAP		2
#define FUNCTION_LEAST	16

static size_t at_most(size_t width, size_t most)
{
	return width < most ? width : most;
}

/* The width of the longest name in each column, as far as the terminal has room. */
static struct widths find_widths(const struct report *report, const struct table *table)
{
	struct widths widths = { 8, 6, 7 };
	size_t room = report->width > NUMBERS ? report->width - NUMBERS : 0;
	size_t function = 8, left, i;

	for (i = 0; i < table->n; i++) {
		const struct row *row = table->rows[i];
		const char *object = report->profile->objects[row->object].name;
		char *name = titles_function(row);
		char *place = titles_place(report, row);

		if (text_columns_width(name) > function)
			function = text_columns_width(name);
		free(name);
		if (text_columns_width(object) > widths.object)
			widths.object = text_columns_width(object);
		if (text_columns_width(place) > widths.place)
			widths.place = text_columns_width(place);
		free(place);
	}
	widths.place = at_most(widths.place, room / 4);
	left = function + widths.place + 2 * GAP;
	left = room > left ? room - left : 0;
	widths.object = at_most(widths.object, left > room / 4 ? left : room / 4);
	widths.function = room - widths.object - widths.place;
	if (widths.function >= FUNCTION_LEAST + 2 * GAP) {
		widths.function -= 2 * GAP;
	} else {
		widths.object = widths.place = 0;
		widths.function = room ? room : FUNCTION_LEAST;
	}
	return widths;
}

/* Without a terminal, lines may be long, and names are not shortened. */
static struct widths find_columns(const struct report *report, const struct table *table)
{
	if (!report->width)
		return (struct widths){ 32, 20, SIZE_MAX };
	return find_widths(report, table);
}

static void print_names(const struct report *report, const struct widths *widths,
			const char *function, const char *object,
			const char *place, FILE *out)
{
	const char *names[] = { function, object, place };
	const size_t sizes[] = { widths->function, widths->object, widths->place };
	size_t i;

	for (i = 0; i < length_of(names) && sizes[i]; i++) {
		bool last = i + 1 == length_of(names) || !sizes[i + 1];

		if (i)
			fputs("  ", out);
		if (report->width)
			text_columns_print(out, names[i], sizes[i], !last);
		else
			fprintf(out, "%-*s", last ? 0 : (int)sizes[i], names[i]);
	}
	fputc('\n', out);
}

static void print_row(const struct report *report, const struct widths *widths,
		      const struct row *row, FILE *out)
{
	char *function = titles_function(row);
	char *place = titles_place(report, row);

	fprintf(out, "%6.2f%% %9" PRIu64 " %9.3f  %6.2f%%  ",
		totals_percent(row->ns, report->profile->ns), row->samples,
		(double)row->ns / NS_PER_SECOND,
		totals_percent(row->reached_ns, report->profile->ns));
	print_names(report, widths, function,
		    report->profile->objects[row->object].name, place, out);
	free(function);
	free(place);
}

static void print_table(const struct report *report, FILE *out)
{
	struct table table;
	struct widths widths;
	size_t i;

	table_make(&table, report);
	widths = find_columns(report, &table);
	fprintf(out, "  share   samples   seconds    total  ");
	print_names(report, &widths, "function", "object", "hottest", out);
	for (i = 0; i < table.n; i++)
		print_row(report, &widths, table.rows[i], out);
	if (table.n < table.all)
		fprintf(out, "        and %zu more %s%s\n", table.all - table.n,
			totals_by_number(table.all - table.n, "function", "functions"),
			report->least > 0 ? "" : " (-n 0 shows all)");
	fputc('\n', out);
	table_free(&table);
}

/* --- the processes ------------------------------------------------------------ */

static int compare_processes(const void *a, const void *b)
{
	const struct process *x = *(const struct process *const *)a;
	const struct process *y = *(const struct process *const *)b;

	return compare_numbers(y->ns, x->ns) ?: compare_numbers(x->pid, y->pid);
}

static const struct process **sort_processes(const struct profile *profile)
{
	const struct process **sorted =
		allocate(profile->nprocesses * sizeof(*sorted));
	size_t i;

	for (i = 0; i < profile->nprocesses; i++)
		sorted[i] = &profile->processes[i];
	qsort(sorted, profile->nprocesses, sizeof(*sorted), compare_processes);
	return sorted;
}

/* A narrow terminal has no room for wall and CPU. Both are about CPU time. */
static bool has_wall(const struct report *report)
{
	return report->profile->shown == SHOW_CPU &&
	       (!report->width || report->width >= 64);
}

static void print_process(const struct report *report,
			  const struct process *process, FILE *out)
{
	const struct profile *profile = report->profile;
	const char *title = titles_process(profile, process);
	uint64_t wall = process->ended_ns ?
		process->ended_ns - process->started_ns : 0;
	size_t used = has_wall(report) ? 48 : 31;

	fprintf(out, "%10" PRIu32 " %9.3f %7.2f%%  ", process->pid,
		(double)process->ns / NS_PER_SECOND,
		totals_percent(process->ns, profile->ns));
	if (has_wall(report) && wall)
		fprintf(out, "%8.3f %5.0f%%  ", (double)wall / NS_PER_SECOND,
			totals_percent(process->ns, wall));
	else if (has_wall(report))
		fprintf(out, "%8s %6s  ", "-", "-");
	if (report->width)
		text_columns_print(out, title, report->width > used ?
				   report->width - used : 1, false);
	else
		fputs(title, out);
	fputc('\n', out);
}

/* Prints nothing for a single process. */
static void print_processes(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	size_t all = totals_processes(profile), n = totals_sampled(profile), i;
	const struct process **sorted;

	if (all < 2)
		return;
	if (report->limit && n > PROCESSES_MOST)
		n = PROCESSES_MOST;
	sorted = sort_processes(profile);
	fprintf(out, "       pid   seconds    share  %sprocess\n",
		has_wall(report) ? "    wall    CPU  " : "");
	for (i = 0; i < n; i++)
		print_process(report, sorted[i], out);
	if (n < all)
		fprintf(out, "           and %zu more %s\n", all - n,
			totals_by_number(all - n, "process", "processes"));
	fputc('\n', out);
	free(sorted);
}

bool report_text(const struct report *report, FILE *out)
{
	print_table(report, out);
	print_processes(report, out);
	totals_write(report, out);
	return true;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What has changed from one profile to another. Functions are the same if they
 * are called the same in objects of one name: that is what stays between two
 * builds.
 */
#include "report/diff.h"
#include "common/memory.h"
#include "content/report.h"
#include "content/text_columns.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct change {
	const char	*object;
	const char	*name;
	bool		inlined;
	uint64_t	before, after;	/* ns */
};

struct changes {
	void		*index;		/* tsearch() tree */
	struct change	**list;
	size_t		n, room;
};

static int compare_identity(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	int order = strcmp(x->object, y->object);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : x->inlined - y->inlined;
}

static struct change *find_change(struct changes *changes,
				  const struct report *report,
				  const struct row *row)
{
	struct change *change = allocate(sizeof(*change)), **found;

	*change = (struct change){
		report->profile->objects[row->object].name, row->name,
		row->inlined, 0, 0
	};
	found = tsearch(change, &changes->index, compare_identity);
	if (!found)
		out_of_memory();
	if (*found != change) {
		free(change);
		return *found;
	}
	ensure(changes->list, changes->n, changes->room);
	changes->list[changes->n++] = change;
	return change;
}

static void collect(struct changes *changes, const struct report *report,
		    bool before)
{
	size_t i;

	for (i = 0; i < report->functions.n; i++) {
		const struct row *row = &report->functions.rows[i];
		struct change *change;

		if (!row->samples)
			continue;
		change = find_change(changes, report, row);
		if (before)
			change->before += row->ns;
		else
			change->after += row->ns;
	}
}

static uint64_t distance(const struct change *change)
{
	return change->before > change->after ? change->before - change->after :
						change->after - change->before;
}

static int compare_distance(const void *a, const void *b)
{
	const struct change *x = *(struct change *const *)a;
	const struct change *y = *(struct change *const *)b;

	if (distance(x) != distance(y))
		return distance(x) > distance(y) ? -1 : 1;
	return compare_identity(x, y);
}

static double share(uint64_t ns, const struct report *report)
{
	return report->profile->ns ?
		100.0 * (double)ns / (double)report->profile->ns : 0;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

#define NUMBERS	50	/* columns before the names */
#define GAP	2	/* and between them */

/* Columns that the objects' names take of a terminal. */
static size_t object_width(const struct report *report,
			   const struct changes *changes, size_t n, size_t room)
{
	size_t width = 0, i;

	for (i = 0; i < n && report->width; i++)
		if (text_columns_width(changes->list[i]->object) > width)
			width = text_columns_width(changes->list[i]->object);
	return width < room / 3 ? width : room / 3;
}

static size_t names_width(const struct report *report)
{
	return report->width > NUMBERS + GAP ? report->width - NUMBERS - GAP : 0;
}

static void print_change(const struct report *report, const struct change *change,
			 size_t width, FILE *out)
{
	double before = share(change->before, report->before);
	double after = share(change->after, report);
	char *name = format_text("%s%s", change->name,
				 change->inlined ? " (inlined)" : "");

	fprintf(out, "%7.2f%% %7.2f%% %+8.2f %10.3f %+10.3f  ", before, after,
		after - before, seconds(change->after),
		seconds(change->after) - seconds(change->before));
	if (report->width) {
		text_columns_print(out, name, names_width(report) - width,
				   true);
		fputs("  ", out);
		text_columns_print(out, change->object, width, false);
	} else {
		fprintf(out, "%-32s  %s", name, change->object);
	}
	fputc('\n', out);
	free(name);
}

static void print_sum(const struct report *report, FILE *out)
{
	double before = seconds(report->before->profile->ns);
	double after = seconds(report->profile->ns);

	fprintf(out, "\n%.3f s of CPU time, %.3f s before: %+.3f s", after, before,
		after - before);
	if (before > 0)
		fprintf(out, ", %+.2f%%", 100 * (after - before) / before);
	fputc('\n', out);
}

bool report_diff(const struct report *report, FILE *out)
{
	struct changes changes = { NULL };
	size_t n, width, i;

	collect(&changes, report->before, true);
	collect(&changes, report, false);
	if (changes.n)
		qsort(changes.list, changes.n, sizeof(*changes.list),
		      compare_distance);
	n = report->limit && changes.n > report->limit ? report->limit : changes.n;
	width = object_width(report, &changes, n, names_width(report));
	fprintf(out, "  before    after   change    seconds     change  function\n");
	for (i = 0; i < n; i++)
		print_change(report, changes.list[i], width, out);
	if (n < changes.n)
		fprintf(out, "        and %zu more functions (-n 0 shows all)\n",
			changes.n - n);
	print_sum(report, out);
	for (i = 0; i < changes.n; i++)
		tdelete(changes.list[i], &changes.index, compare_identity);
	for (i = 0; i < changes.n; i++)
		free(changes.list[i]);
	free(changes.list);
	return true;
}

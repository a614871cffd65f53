// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/diff.h"
#include "common/compare.h"
#include "common/memory.h"
#include "content/text_columns.h"
#include "content/totals.h"
#include "report/change.h"
#include "content/identities.h"

#include <stdlib.h>

struct changed {
	const struct identity	*function;
	uint64_t		before, after;	/* ns */
	struct change		change;
};

/* Indexed by the numbers of the functions. */
struct list {
	struct changed	*changed;
	size_t		n, room;
};

static struct changed *find_changed(struct list *list,
				    struct identities *identities,
				    const struct report *report,
				    const struct row *row)
{
	uint32_t number = identities_find(identities, report, row);

	if (number == list->n) {
		ensure(list->changed, list->n, list->room);
		list->changed[list->n++] = (struct changed){
			.function = identities->list[number]
		};
	}
	return &list->changed[number];
}

static void collect(struct list *list, struct identities *identities,
		    const struct report *report, bool before)
{
	size_t i;

	for (i = 0; i < report->functions.n; i++) {
		const struct row *row = &report->functions.rows[i];
		struct changed *changed;

		if (!row->samples)
			continue;
		changed = find_changed(list, identities, report, row);
		if (before)
			changed->before += row->ns;
		else
			changed->after += row->ns;
	}
}

static int compare_changed(const void *a, const void *b)
{
	const struct changed *x = a, *y = b;

	return compare_numbers(change_distance(&y->change), change_distance(&x->change)) ?:
	       identities_compare(x->function, y->function);
}

#define GAP	2	/* columns between the names */

/* Columns for the names of objects, of @room. */
static size_t object_width(const struct report *report, const struct list *list,
			   size_t n, size_t room)
{
	size_t width = 0, i;

	for (i = 0; i < n && report->width; i++) {
		const char *name = list->changed[i].function->object->name;

		if (text_columns_width(name) > width)
			width = text_columns_width(name);
	}
	return width < room / 3 ? width : room / 3;
}

static size_t names_width(const struct report *report)
{
	const size_t used = CHANGE_COLUMNS + GAP;

	return report->width > used ? report->width - used : 0;
}

static void print_changed(const struct report *report,
			  const struct changed *changed, size_t width, FILE *out)
{
	const struct identity *function = changed->function;
	char *name = format_text("%s%s", function->name,
				 function->inlined ? " (inlined)" : "");

	change_write(&changed->change, report, out);
	if (report->width) {
		text_columns_print(out, name, names_width(report) - width,
				   true);
		fputs("  ", out);
		text_columns_print(out, function->object->name, width, false);
	} else {
		fprintf(out, "%-32s  %s", name, function->object->name);
	}
	fputc('\n', out);
	free(name);
}

bool report_diff(const struct report *report, FILE *out)
{
	struct identities identities = { 0 };
	struct list list = { 0 };
	size_t n, width, i;

	collect(&list, &identities, report->before, true);
	collect(&list, &identities, report, false);
	for (i = 0; i < list.n; i++)
		list.changed[i].change = change_make(report, list.changed[i].before,
						     list.changed[i].after);
	if (list.n)
		qsort(list.changed, list.n, sizeof(*list.changed),
		      compare_changed);
	n = report->limit && list.n > report->limit ? report->limit : list.n;
	width = object_width(report, &list, n, names_width(report));
	change_write_head(out);
	fputs("function\n", out);
	for (i = 0; i < n; i++)
		print_changed(report, &list.changed[i], width, out);
	if (n < list.n)
		fprintf(out, "        and %zu more %s (-n 0 shows all)\n", list.n - n,
			totals_by_number(list.n - n, "function", "functions"));
	change_write_sum(report, out);
	free(list.changed);
	identities_free(&identities);
	return true;
}

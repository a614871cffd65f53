// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints call trees, with a line for each call. */
#include "report/tree.h"
#include "common/compare.h"
#include "common/memory.h"
#include "common/message.h"
#include "content/call_builder.h"
#include "content/name_pattern.h"
#include "content/text_columns.h"
#include "content/totals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct printer {
	const struct report	*report;
	const struct call_tree	*tree;
	bool			has_self;	/* prints the column "self" */
	FILE			*out;
};

static int compare_times(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return compare_numbers(*y, *x);
}

/* The least time among the @most calls with the most time. */
static uint64_t least_time(const struct call_tree *tree, size_t most)
{
	uint64_t *times = allocate(tree->n * sizeof(*times)), least;
	size_t i;

	for (i = 1; i < tree->n; i++)
		times[i - 1] = tree->calls[i].total_ns;
	qsort(times, tree->n - 1, sizeof(*times), compare_times);
	least = times[most - 1];
	free(times);
	return least;
}

char *tree_name(const struct tree_function *function,
		const struct object *caller)
{
	if (function->inlined)
		return format_text("%s (inlined)", function->name);
	if (function->object->kernel || function->object == caller ||
	    !strcmp(function->object->name, MORE_CALLERS))
		return copy_text(function->name);
	return format_text("%s (%s)", function->name, function->object->name);
}

void tree_print_name(FILE *out, size_t width, size_t used, uint32_t depth,
		     const char *name)
{
	size_t indent = depth - 1;

	if (width && indent > width / 3)
		indent = width / 3;
	fprintf(out, "%*s", (int)indent, "");
	if (width)
		text_columns_print(out, name, width > used + indent ?
				   width - used - indent : 1, false);
	else
		fputs(name, out);
	fputc('\n', out);
}

static const struct object *object_of(const struct printer *printer,
				      const struct call *call)
{
	const struct report *report = printer->report;

	return call->row == NO_ROW ? NULL : &report->profile->objects[
				report->functions.rows[call->row].object];
}

static void print_name(const struct printer *printer, const struct call *call,
		       size_t used)
{
	const struct call *parent = &printer->tree->calls[call->parent];
	const struct row *row = &printer->report->functions.rows[call->row];
	const struct tree_function function = {
		object_of(printer, call), row->name, row->inlined
	};
	char *name = tree_name(&function, object_of(printer, parent));

	tree_print_name(printer->out, printer->report->width, used, call->depth,
			name);
	free(name);
}

static void print_call(const struct printer *printer, const struct call *call)
{
	const struct profile *profile = printer->report->profile;
	int used = fprintf(printer->out, "%7.2f%% ",
			   totals_percent(call->total_ns, profile->ns));

	if (printer->has_self)
		used += fprintf(printer->out, "%7.2f%% ",
				totals_percent(call->ns, profile->ns));
	used += fprintf(printer->out, "%9" PRIu64 " %9.3f  ", call->total,
			(double)call->total_ns / NS_PER_SECOND);
	print_name(printer, call, (size_t)used);
}

/*
 * Prints the calls with the most time. A caller never has less time than its callees
 * and comes before them, so it is always printed too. Of calls with the same time, the
 * first ones are printed.
 */
static void print_calls(const struct printer *printer)
{
	const struct call_tree *tree = printer->tree;
	size_t all = tree->n - 1, most = printer->report->limit, i;
	uint64_t least = most && all > most ? least_time(tree, most) : 0;
	size_t equal = all;

	if (most && all > most)
		for (equal = most, i = 1; i < tree->n; i++)
			equal -= tree->calls[i].total_ns > least;
	else
		most = all;
	for (i = 1; i < tree->n; i++) {
		const struct call *call = &tree->calls[i];

		if (call->total_ns < least ||
		    (call->total_ns == least && !equal) ||
		    totals_percent(call->total_ns, printer->report->profile->ns) <
		    printer->report->least)
			continue;
		equal -= call->total_ns == least;
		print_call(printer, call);
	}
	if (most < all)
		fprintf(printer->out, "         and %zu more %s (-n 0 shows all)\n", all - most,
			totals_by_number(all - most, "call", "calls"));
	fputc('\n', printer->out);
}

bool report_tree(const struct report *report, FILE *out)
{
	const struct printer printer = { report, &report->calls, true, out };

	fprintf(out, "   total     self   samples   seconds  function\n");
	print_calls(&printer);
	totals_write(report, out);
	return true;
}

/* The part of each wanted call outside the wanted calls below it. The caller frees it. */
static struct call *find_own(const struct call_tree *tree, const bool *wanted)
{
	struct call *own = allocate(tree->n * sizeof(*own));
	uint32_t *above = allocate(tree->n * sizeof(*above)), i;

	for (i = 1; i < tree->n; i++) {
		const struct call *call = &tree->calls[i];
		uint32_t caller = above[call->parent];

		above[i] = wanted[call->row] ? i : caller;
		if (!wanted[call->row])
			continue;
		own[i].samples += call->total;
		own[i].ns += call->total_ns;
		own[caller].samples -= call->total;
		own[caller].ns -= call->total_ns;
	}
	free(above);
	return own;
}

static void add_callers(struct call_builder *builder,
			const struct call_tree *tree, uint32_t call,
			const struct call *own)
{
	uint32_t at = 0;

	for (; call; call = tree->calls[call].parent)
		at = call_builder_find(builder, at, tree->calls[call].row);
	builder->calls[at].samples += own->samples;
	builder->calls[at].ns += own->ns;
}

bool tree_of_callers(struct call_tree *callers, const struct report *report,
		     const struct name_pattern *callee)
{
	const struct functions *functions = &report->functions;
	const struct call_tree *tree = &report->calls;
	bool *wanted = allocate(functions->n * sizeof(*wanted));
	struct call_builder builder;
	struct call *own;
	uint32_t i;

	for (i = 0; i < functions->n; i++)
		wanted[i] = name_pattern_matches_function(callee, functions->rows[i].name);
	own = find_own(tree, wanted);
	call_builder_begin(&builder, 0);
	for (i = 1; i < tree->n; i++)
		if (own[i].samples && wanted[tree->calls[i].row])
			add_callers(&builder, tree, i, &own[i]);
	free(call_builder_end(&builder, callers));
	free(own);
	free(wanted);
	return callers->n > 1;
}

void tree_nobody(const struct name_pattern *callee)
{
	warn("no function in a call stack matches '%s'", name_pattern_text(callee));
}

bool report_tree_callers(const struct report *report, FILE *out)
{
	struct call_tree callers = { 0 };
	const struct printer printer = { report, &callers, false, out };
	bool any;

	any = tree_of_callers(&callers, report, report->callee);
	if (any) {
		fprintf(out, "   total   samples   seconds  function, and its callers\n");
		print_calls(&printer);
		totals_write(report, out);
	} else {
		tree_nobody(report->callee);
	}
	call_tree_free(&callers);
	return any;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints merged call trees. */
#include "report/diff_tree.h"
#include "common/compare.h"
#include "common/memory.h"
#include "content/merged_calls.h"
#include "content/totals.h"
#include "report/change.h"
#include "report/tree.h"

#include <stdlib.h>

static struct change change_of(const struct report *report, const struct call *call)
{
	return change_make(report, call->total, call->total_ns);
}

/* The size of the change of each call. The caller frees it. */
static uint64_t *find_distances(const struct report *report, const struct call_tree *tree)
{
	uint64_t *distances = allocate(tree->n * sizeof(*distances));
	size_t i;

	for (i = 1; i < tree->n; i++) {
		struct change change = change_of(report, &tree->calls[i]);

		distances[i] = change_distance(&change);
	}
	return distances;
}

static int compare_distances(const void *a, const void *b, void *context)
{
	const uint64_t *distances = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	return compare_numbers(distances[j], distances[i]) ?: compare_numbers(i, j);
}

/* Marks the @most calls that changed most, and their callers. The caller frees it. */
static bool *find_shown(const struct report *report, const struct call_tree *tree,
			size_t most)
{
	uint64_t *distances = find_distances(report, tree);
	uint32_t *order = allocate(tree->n * sizeof(*order));
	bool *shown = allocate(tree->n * sizeof(*shown));
	uint32_t i, call;

	for (i = 1; i < tree->n; i++)
		order[i - 1] = i;
	qsort_r(order, tree->n - 1, sizeof(*order), compare_distances, distances);
	for (i = 0; i < most; i++)
		for (call = order[i]; call && !shown[call];
		     call = tree->calls[call].parent)
			shown[call] = true;
	free(distances);
	free(order);
	return shown;
}

static struct tree_function function_of(const struct merged_calls *merged,
					const struct call *call)
{
	const struct identity *identity = merged->functions.list[call->row];

	return (struct tree_function){
		identity->object, identity->name, identity->inlined
	};
}

static void print_call(const struct merged_calls *merged, const struct report *report,
		       const struct call *call, FILE *out)
{
	const struct call *parent = &merged->tree.calls[call->parent];
	struct tree_function function = function_of(merged, call);
	struct change change = change_of(report, call);
	char *name = tree_name(&function, parent->depth ?
			       function_of(merged, parent).object : NULL);

	change_write(&change, report, out);
	tree_print_name(out, report->width, CHANGE_COLUMNS, call->depth, name);
	free(name);
}

static void print_calls(const struct merged_calls *merged, const struct report *report,
			FILE *out)
{
	const struct call_tree *tree = &merged->tree;
	size_t all = tree->n - 1, left = 0, i;
	size_t most = report->limit && all > report->limit ? report->limit : all;
	bool *shown = find_shown(report, tree, most);

	for (i = 1; i < tree->n; i++) {
		if (shown[i])
			print_call(merged, report, &tree->calls[i], out);
		else
			left++;
	}
	if (left)
		fprintf(out, "         and %zu more %s (-n 0 shows all)\n", left,
			totals_by_number(left, "call", "calls"));
	free(shown);
}

static void write_merged(const struct report *report,
			 const struct call_tree *before,
			 const struct call_tree *after, const char *head, FILE *out)
{
	struct merged_calls merged;

	merged_calls_make(&merged, report, before, after);
	change_write_head(out);
	fprintf(out, "%s\n", head);
	print_calls(&merged, report, out);
	change_write_sum(report, out);
	merged_calls_free(&merged);
}

bool report_diff_tree(const struct report *report, FILE *out)
{
	write_merged(report, &report->before->calls, &report->calls, "function",
		     out);
	return true;
}

bool report_diff_tree_callers(const struct report *report, FILE *out)
{
	struct call_tree before = { 0 }, after = { 0 };
	bool any;

	any = tree_of_callers(&before, report->before, report->callee);
	any |= tree_of_callers(&after, report, report->callee);
	if (any)
		write_merged(report, &before, &after, "function, and its callers",
			     out);
	else
		tree_nobody(report->callee);
	call_tree_free(&before);
	call_tree_free(&after);
	return any;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/call_edges.h"
#include "common/compare.h"
#include "common/memory.h"
#include "object/frames.h"

#include <stdlib.h>
#include <string.h>

struct maker {
	const struct report	*report;
	struct call_edges	*edges;
	uint64_t		*totals;	/* samples of each node and its callees */
	uint32_t		*functions;	/* see find_functions() */
};

/* --- functions with the same name ------------------------------------------------- */

static const char *file_of(const struct report *report, const struct row *row)
{
	struct line line = frames_outer_line(&report->profile->objects[row->object],
					     row->start);

	return line.file ? line.file : "";
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct report *report = context;
	const struct row *x = &report->functions.rows[*(const uint32_t *)a];
	const struct row *y = &report->functions.rows[*(const uint32_t *)b];

	return compare_numbers(x->object, y->object) ?: strcmp(x->name, y->name) ?:
	       strcmp(file_of(report, x), file_of(report, y));
}

/*
 * Viewers take rows with the same name, file and object for one function: for example
 * the two destructors of a C++ class. Maps each row to the first such row. The caller
 * frees it.
 */
static uint32_t *find_functions(const struct report *report)
{
	size_t n = report->functions.n, i;
	uint32_t *sorted = allocate(n * sizeof(*sorted));
	uint32_t *functions = allocate(n * sizeof(*functions));
	void *context = (void *)(uintptr_t)report;

	for (i = 0; i < n; i++)
		sorted[i] = (uint32_t)i;
	qsort_r(sorted, n, sizeof(*sorted), compare_names, context);
	for (i = 0; i < n; i++)
		functions[sorted[i]] = i && !compare_names(&sorted[i - 1], &sorted[i],
							   context) ?
			functions[sorted[i - 1]] : sorted[i];
	free(sorted);
	return functions;
}

/* --- edges ------------------------------------------------------------------------- */

static const struct stack_node *node_of(const struct maker *maker, uint32_t i)
{
	return &maker->report->profile->stacks.nodes[i];
}

/* The function at a node's address: the outermost frame, which is not inlined. */
static uint32_t row_of(const struct maker *maker, uint32_t i)
{
	const struct stack_frames *frames = &maker->report->functions.frames;

	return frames->rows[frames->of_node[i]];
}

static void add(const struct maker *maker, uint32_t node, uint32_t callee,
		uint64_t samples)
{
	struct call_edges *edges = maker->edges;

	ensure(edges->list, edges->n, edges->room);
	edges->list[edges->n++] = (struct call_edge){
		node ? row_of(maker, node) : NO_ROW, callee,
		node_of(maker, node)->address, samples,
	};
}

static void add_selves(const struct maker *maker)
{
	const struct stacks *stacks = &maker->report->profile->stacks;
	size_t i;

	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];

		add(maker, count->node, NO_ROW, count->samples);
		maker->totals[count->node] += count->samples;
	}
}

/* Whether a caller of node @i is in the same function. */
static bool is_recursive(const struct maker *maker, uint32_t i)
{
	uint32_t function = maker->functions[row_of(maker, i)];

	while ((i = node_of(maker, i)->parent))
		if (maker->functions[row_of(maker, i)] == function)
			return true;
	return false;
}

static void add_calls(const struct maker *maker)
{
	uint32_t i;

	for (i = (uint32_t)maker->report->profile->stacks.nnodes; i-- > 1;) {
		uint32_t parent = node_of(maker, i)->parent;

		if (!maker->totals[i])
			continue;
		maker->totals[parent] += maker->totals[i];
		if (!is_recursive(maker, i))
			add(maker, parent, row_of(maker, i), maker->totals[i]);
	}
}

static int compare_edges(const void *a, const void *b)
{
	const struct call_edge *x = a, *y = b;

	return compare_numbers(x->row, y->row) ?:
	       compare_numbers(x->address, y->address) ?:
	       compare_numbers(x->callee, y->callee);
}

static void merge(struct call_edges *edges)
{
	size_t i, n = 0;

	if (!edges->n)
		return;
	qsort(edges->list, edges->n, sizeof(*edges->list), compare_edges);
	for (i = 1; i < edges->n; i++) {
		if (compare_edges(&edges->list[n], &edges->list[i]))
			edges->list[++n] = edges->list[i];
		else
			edges->list[n].samples += edges->list[i].samples;
	}
	edges->n = n + 1;
}

void call_edges_make(struct call_edges *edges, const struct report *report)
{
	size_t nnodes = report->profile->stacks.nnodes;
	struct maker maker = {
		.report = report, .edges = edges,
		.totals = allocate(nnodes * sizeof(*maker.totals)),
		.functions = find_functions(report),
	};

	*edges = (struct call_edges){ 0 };
	add_selves(&maker);
	add_calls(&maker);
	merge(edges);
	free(maker.totals);
	free(maker.functions);
}

void call_edges_free(struct call_edges *edges)
{
	free(edges->list);
}

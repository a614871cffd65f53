// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/call_edges.h"
#include "common/memory.h"

#include <stdlib.h>

struct maker {
	const struct report	*report;
	struct call_edges	*edges;
	uint64_t		*totals;	/* of each node */
};

static const struct stack_node *node_of(const struct maker *maker, uint32_t i)
{
	return &maker->report->profile->stacks.nodes[i];
}

/* The function that a node's address is in: the outermost of its frames. */
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

/* Whether some caller of node @i is in the same function. */
static bool is_recursive(const struct maker *maker, uint32_t i)
{
	uint32_t row = row_of(maker, i);

	while ((i = node_of(maker, i)->parent))
		if (row_of(maker, i) == row)
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

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
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
	};

	*edges = (struct call_edges){ NULL };
	add_selves(&maker);
	add_calls(&maker);
	merge(edges);
	free(maker.totals);
}

void call_edges_free(struct call_edges *edges)
{
	free(edges->list);
}

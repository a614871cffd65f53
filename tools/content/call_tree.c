// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls are first made in the order in which stacks have them, then put into the
 * order of walking. No step goes deeper for a deeper stack.
 */
#include "content/call_tree.h"
#include "common/memory.h"

#include <stdlib.h>

struct maker {
	struct call_tree	*tree;
	size_t			room;
	uint32_t		*set;	/* of calls, by caller and row: a hash table */
	size_t			size;
};

/* --- the calls ------------------------------------------------------------------------ */

static uint32_t *find_slot(const struct maker *maker, uint32_t parent, uint32_t row)
{
	uint64_t hash = ((uint64_t)parent << 32 | row) * 0x9e3779b97f4a7c15ULL;
	size_t at = (hash ^ hash >> 29) & (maker->size - 1);

	for (; maker->set[at]; at = (at + 1) & (maker->size - 1)) {
		const struct call *call = &maker->tree->calls[maker->set[at]];

		if (call->parent == parent && call->row == row)
			break;
	}
	return &maker->set[at];
}

static void grow(struct maker *maker)
{
	const struct call_tree *tree = maker->tree;
	uint32_t i;

	if (2 * tree->n < maker->size)
		return;
	free(maker->set);
	maker->size = maker->size ? 2 * maker->size : 1024;
	maker->set = allocate(maker->size * sizeof(*maker->set));
	for (i = 1; i < tree->n; i++)
		*find_slot(maker, tree->calls[i].parent, tree->calls[i].row) = i;
}

static uint32_t add_call(struct maker *maker, uint32_t parent, uint32_t row)
{
	struct call_tree *tree = maker->tree;

	ensure(tree->calls, tree->n, maker->room);
	tree->calls[tree->n] = (struct call){ .parent = parent, .row = row };
	return (uint32_t)tree->n++;
}

static uint32_t find_call(struct maker *maker, uint32_t parent, uint32_t row)
{
	uint32_t *slot;

	grow(maker);
	slot = find_slot(maker, parent, row);
	if (!*slot)
		*slot = add_call(maker, parent, row);
	return *slot;
}

/* Callers come first, among nodes and among calls. */
static void make_calls(struct maker *maker, const struct stacks *stacks,
		       const struct stack_frames *frames)
{
	struct call_tree *tree = maker->tree;
	const uint32_t *row;
	size_t i;

	tree->of_node = allocate(stacks->nnodes * sizeof(*tree->of_node));
	add_call(maker, 0, NO_ROW);
	for (i = 1; i < stacks->nnodes; i++) {
		uint32_t call = tree->of_node[stacks->nodes[i].parent];

		for (row = &frames->rows[frames->of_node[i]]; *row != NO_ROW; row++)
			call = find_call(maker, call, *row);
		tree->of_node[i] = call;
	}
}

static void count_calls(struct call_tree *tree, const struct stacks *stacks)
{
	size_t i;

	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];
		struct call *call = &tree->calls[tree->of_node[count->node]];

		call->samples += count->samples;
		call->ns += count->ns;
	}
	for (i = tree->n; i--;) {
		struct call *call = &tree->calls[i];

		call->total += call->samples;
		call->total_ns += call->ns;
		if (i) {
			tree->calls[call->parent].total += call->total;
			tree->calls[call->parent].total_ns += call->total_ns;
		}
	}
}

/* --- their order ------------------------------------------------------------------------ */

static int compare_calls(const void *a, const void *b, void *context)
{
	const struct call *calls = context;
	const struct call *x = &calls[*(const uint32_t *)a];
	const struct call *y = &calls[*(const uint32_t *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* How many calls are in and below each. */
static uint32_t *find_sizes(const struct call_tree *tree)
{
	uint32_t *sizes = allocate(tree->n * sizeof(*sizes));
	size_t i;

	for (i = tree->n; i--;) {
		sizes[i]++;
		if (i)
			sizes[tree->calls[i].parent] += sizes[i];
	}
	return sizes;
}

/*
 * Where each goes: behind its caller and the callees before it. Sorted by caller,
 * callees are together, but their caller's place need not be known yet: a second
 * pass in the order of their making adds it.
 */
static uint32_t *find_order(const struct call_tree *tree, const uint32_t *sizes)
{
	uint32_t *sorted = allocate(tree->n * sizeof(*sorted));
	uint32_t *to = allocate(tree->n * sizeof(*to));
	uint32_t next = 1;
	size_t i;

	for (i = 1; i < tree->n; i++)
		sorted[i] = (uint32_t)i;
	if (tree->n > 1)
		qsort_r(sorted + 1, tree->n - 1, sizeof(*sorted), compare_calls,
			tree->calls);
	for (i = 1; i < tree->n; i++) {
		if (i == 1 || tree->calls[sorted[i]].parent !=
			      tree->calls[sorted[i - 1]].parent)
			next = 1;
		to[sorted[i]] = next;
		next += sizes[sorted[i]];
	}
	for (i = 1; i < tree->n; i++)
		to[i] += to[tree->calls[i].parent];
	free(sorted);
	return to;
}

static void put_in_order(struct call_tree *tree, size_t nnodes)
{
	uint32_t *sizes = find_sizes(tree), *to = find_order(tree, sizes);
	struct call *calls = allocate(tree->n * sizeof(*calls));
	size_t i;

	for (i = 0; i < tree->n; i++) {
		struct call *call = &calls[to[i]];

		*call = tree->calls[i];
		call->parent = to[call->parent];
		call->end = to[i] + sizes[i];
		call->depth = i ? calls[call->parent].depth + 1 : 0;
	}
	for (i = 0; i < nnodes; i++)
		tree->of_node[i] = to[tree->of_node[i]];
	free(tree->calls);
	tree->calls = calls;
	free(sizes);
	free(to);
}

/* --- what functions have reached ---------------------------------------------------------- */

/* A function that calls itself, by others or not, has each stack once. */
static void count_reached(const struct call_tree *tree, struct functions *functions)
{
	uint32_t *end = allocate(functions->n * sizeof(*end));
	uint32_t i;

	for (i = 1; i < tree->n; i++) {
		const struct call *call = &tree->calls[i];
		struct row *row = &functions->rows[call->row];

		if (i < end[call->row])
			continue;
		end[call->row] = call->end;
		row->reached += call->total;
		row->reached_ns += call->total_ns;
	}
	free(end);
}

void call_tree_make(struct call_tree *tree, const struct profile *profile,
		    struct functions *functions)
{
	struct maker maker = { .tree = tree };

	make_calls(&maker, &profile->stacks, &functions->frames);
	count_calls(tree, &profile->stacks);
	put_in_order(tree, profile->stacks.nnodes);
	count_reached(tree, functions);
	free(maker.set);
}

void call_tree_free(struct call_tree *tree)
{
	free(tree->calls);
	free(tree->of_node);
	*tree = (struct call_tree){ NULL };
}

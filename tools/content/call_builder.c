// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * First adds calls in any order, then sorts them into the order of a walk. Nothing
 * here recurses, so stacks may be deep.
 */
#include "content/call_builder.h"
#include "common/compare.h"
#include "common/memory.h"
#include "content/stack_frames.h"

#include <stdlib.h>

static uint64_t hash_call(const void *calls, uint32_t i)
{
	const struct call *call = (const struct call *)calls + i;

	return hash_set_mix(hash_set_mix(0, call->parent), call->row);
}

/* The wanted call is stored behind the others. */
static bool is_same_call(const void *context, uint32_t i)
{
	const struct call_tree *tree = context;
	const struct call *x = &tree->calls[i], *y = &tree->calls[tree->n];

	return x->parent == y->parent && x->row == y->row;
}

static void add_call(struct call_builder *builder, uint32_t parent, uint32_t row)
{
	struct call_tree *tree = builder->tree;

	ensure(tree->calls, tree->n, builder->room);
	tree->calls[tree->n] = (struct call){ .parent = parent, .row = row };
}

uint32_t call_builder_find(struct call_builder *builder, uint32_t parent,
			   uint32_t row)
{
	struct call_tree *tree = builder->tree;
	uint32_t *slot;

	hash_set_reserve(&builder->set, tree->n, hash_call, tree->calls);
	add_call(builder, parent, row);
	slot = hash_set_find(&builder->set, hash_call(tree->calls, (uint32_t)tree->n),
			     is_same_call, tree);
	if (!*slot)
		*slot = (uint32_t)++tree->n;
	return *slot - 1;
}

void call_builder_begin(struct call_builder *builder, struct call_tree *tree)
{
	*builder = (struct call_builder){ .tree = tree };
	add_call(builder, 0, NO_ROW);
	tree->n++;
}

/* --- the order of calls --------------------------------------------------------- */

/* Callers come before their callees. */
static void add_totals(struct call_tree *tree)
{
	size_t i;

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

static int compare_calls(const void *a, const void *b, void *context)
{
	const struct call *calls = context;
	const struct call *x = &calls[*(const uint32_t *)a];
	const struct call *y = &calls[*(const uint32_t *)b];

	return compare_numbers(x->parent, y->parent) ?:
	       compare_numbers(y->total_ns, x->total_ns) ?:
	       compare_numbers(x->row, y->row);
}

/* The number of calls in each subtree. */
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
 * The new index of each call: after its caller and the callees that come earlier. The
 * first pass finds the distance from the caller, the second adds the caller's index.
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

static void put_in_order(struct call_tree *tree, const uint32_t *sizes,
			 const uint32_t *to)
{
	struct call *calls = allocate(tree->n * sizeof(*calls));
	size_t i;

	for (i = 0; i < tree->n; i++) {
		struct call *call = &calls[to[i]];

		*call = tree->calls[i];
		call->parent = to[call->parent];
		call->end = to[i] + sizes[i];
		call->depth = i ? calls[call->parent].depth + 1 : 0;
	}
	free(tree->calls);
	tree->calls = calls;
}

uint32_t *call_builder_end(struct call_builder *builder)
{
	struct call_tree *tree = builder->tree;
	uint32_t *sizes, *to;

	add_totals(tree);
	sizes = find_sizes(tree);
	to = find_order(tree, sizes);
	put_in_order(tree, sizes, to);
	free(sizes);
	hash_set_free(&builder->set);
	return to;
}

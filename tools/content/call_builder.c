// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * First adds calls in any order, then sorts them into the order of a walk. Nothing
 * here recurses, so stacks may be deep.
 */
#include "content/call_builder.h"
#include "common/memory.h"
#include "common/sort_keys.h"
#include "content/stack_frames.h"

#include <stdlib.h>

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

	hash_set_reserve(&builder->set, tree->n);
	add_call(builder, parent, row);
	slot = hash_set_find(&builder->set, hash_set_mix(0, (uint64_t)parent << 32 | row),
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

/* By caller, then those with most time first, then by row. */
static struct sort_key *sort_calls(const struct call_tree *tree)
{
	struct sort_key *sorted = sort_keys_make(tree->n);
	const struct call *calls = tree->calls;

	sort_keys_by(sorted, tree->n, i, calls[i].row);
	sort_keys_by(sorted, tree->n, i, ~calls[i].total_ns);
	sort_keys_by(sorted, tree->n, i, i ? calls[i].parent + (uint64_t)1 : 0);
	return sorted;
}

/* Sets the end of each call to the number of calls in its subtree. */
static void find_sizes(struct call_tree *tree)
{
	size_t i;

	for (i = tree->n; i--;) {
		struct call *call = &tree->calls[i];

		call->end++;
		if (i)
			tree->calls[call->parent].end += call->end;
	}
}

/*
 * The new index of each call: after its caller and the callees that come earlier. The
 * first pass finds the distance from the caller, the second adds the caller's index.
 */
static uint32_t *find_order(const struct call_tree *tree)
{
	struct sort_key *sorted = sort_calls(tree);
	uint32_t *to = allocate(tree->n * sizeof(*to));
	uint32_t next = 1;
	size_t i;

	for (i = 1; i < tree->n; i++) {
		if (sorted[i].key != sorted[i - 1].key)
			next = 1;
		to[sorted[i].index] = next;
		next += tree->calls[sorted[i].index].end;
	}
	for (i = 1; i < tree->n; i++)
		to[i] += to[tree->calls[i].parent];
	free(sorted);
	return to;
}

static void put_in_order(struct call_tree *tree, const uint32_t *to)
{
	struct sort_key *order = allocate(tree->n * sizeof(*order));
	size_t i;

	for (i = 0; i < tree->n; i++)
		order[to[i]].index = (uint32_t)i;
	sort_keys_apply(order, tree->calls, tree->n, sizeof(*tree->calls));
	for (i = 0; i < tree->n; i++) {
		struct call *call = &tree->calls[i];

		call->parent = to[call->parent];
		call->end += (uint32_t)i;
		call->depth = i ? tree->calls[call->parent].depth + 1 : 0;
	}
}

uint32_t *call_builder_end(struct call_builder *builder)
{
	struct call_tree *tree = builder->tree;
	uint32_t *to;

	hash_set_free(&builder->set);
	add_totals(tree);
	find_sizes(tree);
	to = find_order(tree);
	put_in_order(tree, to);
	return to;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/call_tree.h"
#include "common/memory.h"
#include "content/call_builder.h"

#include <stdlib.h>

/* --- from callers to callees -------------------------------------------------------- */

/* Callers come first, among nodes and among calls. */
static void make_calls(struct call_builder *builder, const struct stacks *stacks,
		       const struct stack_frames *frames)
{
	struct call_tree *tree = builder->tree;
	const uint32_t *row;
	size_t i;

	tree->of_node = allocate(stacks->nnodes * sizeof(*tree->of_node));
	for (i = 1; i < stacks->nnodes; i++) {
		uint32_t call = tree->of_node[stacks->nodes[i].parent];

		for (row = &frames->rows[frames->of_node[i]]; *row != NO_ROW; row++)
			call = call_builder_find(builder, call, *row);
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
}

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
	struct call_builder builder;
	uint32_t *to;
	size_t i;

	call_builder_begin(&builder, tree);
	make_calls(&builder, &profile->stacks, &functions->frames);
	count_calls(tree, &profile->stacks);
	to = call_builder_end(&builder);
	for (i = 0; i < profile->stacks.nnodes; i++)
		tree->of_node[i] = to[tree->of_node[i]];
	free(to);
	count_reached(tree, functions);
}

/* --- from callees to callers -------------------------------------------------------- */

/* What of each call is in no call below it that is wanted, too; to be freed. */
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

static void add_callers(struct call_builder *builder, const struct call_tree *tree,
			uint32_t call, const struct call *own)
{
	uint32_t at = 0;

	for (; call; call = tree->calls[call].parent)
		at = call_builder_find(builder, at, tree->calls[call].row);
	builder->tree->calls[at].samples += own->samples;
	builder->tree->calls[at].ns += own->ns;
}

void call_tree_callers(struct call_tree *callers, const struct call_tree *tree,
		       const struct functions *functions,
		       call_tree_wanted *wanted, const void *context)
{
	bool *is_wanted = allocate(functions->n * sizeof(*is_wanted));
	struct call_builder builder;
	struct call *own;
	uint32_t i;

	for (i = 0; i < functions->n; i++)
		is_wanted[i] = wanted(&functions->rows[i], context);
	own = find_own(tree, is_wanted);
	call_builder_begin(&builder, callers);
	for (i = 1; i < tree->n; i++)
		if (own[i].samples && is_wanted[tree->calls[i].row])
			add_callers(&builder, tree, i, &own[i]);
	free(call_builder_end(&builder));
	free(own);
	free(is_wanted);
}

void call_tree_free(struct call_tree *tree)
{
	free(tree->calls);
	free(tree->of_node);
	*tree = (struct call_tree){ NULL };
}

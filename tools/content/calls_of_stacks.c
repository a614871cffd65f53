// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/calls_of_stacks.h"
#include "common/memory.h"
#include "content/call_builder.h"

#include <stdlib.h>

#define AHEAD	16	/* nodes */

/* Lists and calls are in any order, so the CPU cannot know what the next nodes need. */
static void fetch_ahead(const struct call_builder *builder, const uint32_t *of_node,
			const struct stacks *stacks, const struct stack_frames *frames,
			size_t i)
{
	if (i + 2 * AHEAD >= stacks->nnodes)
		return;
	__builtin_prefetch(&frames->rows[frames->of_node[i + 2 * AHEAD]]);
	i += AHEAD;
	call_builder_fetch(builder, of_node[stacks->nodes[i].parent],
			   frames->rows[frames->of_node[i]]);
}

/* Callers come before their callees among nodes, and so among calls too. */
static void make_calls(struct call_builder *builder, struct call_tree *tree,
		       const struct stacks *stacks, const struct stack_frames *frames)
{
	const uint32_t *row;
	size_t i;

	tree->of_node = allocate(stacks->nnodes * sizeof(*tree->of_node));
	for (i = 1; i < stacks->nnodes; i++) {
		uint32_t call = tree->of_node[stacks->nodes[i].parent];

		fetch_ahead(builder, tree->of_node, stacks, frames, i);
		for (row = &frames->rows[frames->of_node[i]]; *row != NO_ROW;
		     row++)
			call = call_builder_find(builder, call, *row);
		tree->of_node[i] = call;
	}
}

static void count_calls(struct call_builder *builder, const struct call_tree *tree,
			const struct stacks *stacks)
{
	size_t i;

	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];
		struct made_call *call = &builder->calls[tree->of_node[count->node]];

		call->samples += count->samples;
		call->ns += count->ns;
	}
}

void calls_of_stacks(struct call_tree *tree, const struct profile *profile,
		     const struct functions *functions)
{
	struct call_builder builder;
	uint32_t *to;
	size_t i;

	call_builder_begin(&builder, profile->stacks.nnodes);
	make_calls(&builder, tree, &profile->stacks, &functions->frames);
	count_calls(&builder, tree, &profile->stacks);
	to = call_builder_end(&builder, tree);
	for (i = 0; i < profile->stacks.nnodes; i++)
		tree->of_node[i] = to[tree->of_node[i]];
	free(to);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/reached.h"
#include "common/memory.h"

#include <stdlib.h>

/* A node with all below it. */
struct subtree {
	uint64_t	samples, ns;
	uint32_t	size;
	uint32_t	next;	/* the place of the next node below it */
};

/* Callers come before their callees. */
static void add_up(struct subtree *list, const struct stacks *stacks)
{
	size_t i;

	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];

		list[count->node].samples += count->samples;
		list[count->node].ns += count->ns;
	}
	for (i = stacks->nnodes; i--;) {
		struct subtree *parent = &list[stacks->nodes[i].parent];

		list[i].size++;
		if (!i)
			break;
		parent->size += list[i].size;
		parent->samples += list[i].samples;
		parent->ns += list[i].ns;
	}
}

/* The nodes, each before those below it, and these together. The caller frees it. */
static uint32_t *walk(struct subtree *list, const struct stacks *stacks)
{
	uint32_t *nodes = allocate(stacks->nnodes * sizeof(*nodes));
	size_t i;

	list[0].next = 1;
	for (i = 1; i < stacks->nnodes; i++) {
		struct subtree *parent = &list[stacks->nodes[i].parent];

		nodes[parent->next] = (uint32_t)i;
		list[i].next = parent->next + 1;
		parent->next += list[i].size;
	}
	return nodes;
}

/* What a row reaches. Rows are large, and would not stay in the CPU's cache. */
struct reach {
	uint64_t	samples, ns;
	size_t		end;	/* of the last subtree */
};

static void add_subtree(struct reach *reach, size_t at, const struct subtree *subtree)
{
	if (at < reach->end)
		return;
	reach->end = at + subtree->size;
	reach->samples += subtree->samples;
	reach->ns += subtree->ns;
}

void reached_count(struct functions *functions, const struct stacks *stacks)
{
	const struct stack_frames *frames = &functions->frames;
	size_t n = stacks->nnodes, i;
	struct subtree *list = allocate((n + 1) * sizeof(*list));
	struct reach *reached = allocate(functions->n * sizeof(*reached));
	const uint32_t *row;
	uint32_t *nodes;

	add_up(list, stacks);
	nodes = walk(list, stacks);
	for (i = 1; i < n; i++) {
		row = &frames->rows[frames->of_node[nodes[i]]];
		for (; *row != NO_ROW; row++)
			add_subtree(&reached[*row], i, &list[nodes[i]]);
	}
	for (i = 0; i < functions->n; i++) {
		functions->rows[i].reached = reached[i].samples;
		functions->rows[i].reached_ns = reached[i].ns;
	}
	free(nodes);
	free(reached);
	free(list);
}

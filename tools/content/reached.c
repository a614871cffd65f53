// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/reached.h"
#include "common/memory.h"

#include <stdlib.h>

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

static void walk(struct subtree *list, uint32_t *nodes, const struct stacks *stacks)
{
	size_t i;

	list[0].next = 1;
	for (i = 1; i < stacks->nnodes; i++) {
		struct subtree *parent = &list[stacks->nodes[i].parent];

		nodes[parent->next] = (uint32_t)i;
		list[i].next = parent->next + 1;
		parent->next += list[i].size;
	}
}

static void *add_up_and_walk(void *context)
{
	struct reached *reached = context;

	add_up(reached->list, reached->stacks);
	walk(reached->list, reached->nodes, reached->stacks);
	return NULL;
}

void reached_begin(struct reached *reached, const struct stacks *stacks)
{
	*reached = (struct reached){
		.stacks = stacks,
		.list = allocate((stacks->nnodes + 1) * sizeof(*reached->list)),
		.nodes = allocate(stacks->nnodes * sizeof(*reached->nodes)),
	};
	worker_begin(&reached->worker, add_up_and_walk, reached);
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

void reached_end(struct reached *reached, struct functions *functions)
{
	const struct stack_frames *frames = &functions->frames;
	struct reach *rows = allocate(functions->n * sizeof(*rows));
	const uint32_t *row;
	size_t i;

	worker_end(&reached->worker);
	for (i = 1; i < reached->stacks->nnodes; i++) {
		uint32_t node = reached->nodes[i];

		row = &frames->rows[frames->of_node[node]];
		for (; *row != NO_ROW; row++)
			add_subtree(&rows[*row], i, &reached->list[node]);
	}
	for (i = 0; i < functions->n; i++) {
		functions->rows[i].reached = rows[i].samples;
		functions->rows[i].reached_ns = rows[i].ns;
	}
	free(reached->nodes);
	free(reached->list);
	free(rows);
}

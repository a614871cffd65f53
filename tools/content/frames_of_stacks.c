// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/frames_of_stacks.h"
#include "common/compare.h"
#include "common/memory.h"
#include "object/frames.h"

#include <stdlib.h>

/* Marks nodes with samples in or below them. The caller frees it. */
static bool *find_used(const struct stacks *stacks)
{
	bool *used = allocate(stacks->nnodes * sizeof(*used));
	size_t i;

	for (i = 0; i < stacks->ncounts; i++)
		used[stacks->counts[i].node] = true;
	for (i = stacks->nnodes; i-- > 1;)
		used[stacks->nodes[i].parent] |= used[i];
	return used;
}

static int compare_places(const void *a, const void *b, void *context)
{
	const struct stack_node *nodes = context;
	const struct stack_node *x = &nodes[*(const uint32_t *)a];
	const struct stack_node *y = &nodes[*(const uint32_t *)b];

	return compare_numbers(x->object, y->object) ?:
	       compare_numbers(x->address, y->address);
}

/* The used nodes, sorted by place. The caller frees it. */
static uint32_t *sort_nodes(const struct stacks *stacks, size_t *n)
{
	uint32_t *sorted = allocate(stacks->nnodes * sizeof(*sorted));
	bool *used = find_used(stacks);
	size_t i;

	for (i = 1, *n = 0; i < stacks->nnodes; i++)
		if (used[i])
			sorted[(*n)++] = (uint32_t)i;
	free(used);
	if (*n)
		qsort_r(sorted, *n, sizeof(*sorted), compare_places,
			stacks->nodes);
	return sorted;
}

static void add_row(struct stack_frames *frames, uint32_t row)
{
	ensure(frames->rows, frames->n, frames->room);
	frames->rows[frames->n++] = row;
}

/* Adds the functions at a place, the outermost first. */
static void add_place(struct stack_frames *frames, struct row_maker *maker,
		      const struct stack_node *node)
{
	struct object *object = &maker->profile->objects[node->object];
	struct frame list[FRAMES_MOST];
	size_t n = frames_at(object, node->address, list), i;
	struct function function = *symbols_function(object, node->address);

	for (i = n; i--;)
		add_row(frames, row_maker_find(maker, node->object, &function,
					       &list[i], i + 1 < n)->row.number);
	add_row(frames, NO_ROW);
}

/* Looks up each place once, even if many stacks contain it. */
void frames_of_stacks(struct stack_frames *frames, struct row_maker *maker)
{
	const struct stacks *stacks = &maker->profile->stacks;
	struct stack_node *nodes = stacks->nodes;
	size_t n, i;
	uint32_t *sorted = sort_nodes(stacks, &n);

	frames->of_node = allocate(stacks->nnodes * sizeof(*frames->of_node));
	add_row(frames, NO_ROW);
	for (i = 0; i < n; i++) {
		uint32_t *begin = &frames->of_node[sorted[i]];

		if (i && !compare_places(&sorted[i - 1], &sorted[i], nodes)) {
			*begin = frames->of_node[sorted[i - 1]];
			continue;
		}
		*begin = (uint32_t)frames->n;
		add_place(frames, maker, &nodes[sorted[i]]);
	}
	free(sorted);
}

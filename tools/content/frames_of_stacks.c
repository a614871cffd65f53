// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/frames_of_stacks.h"
#include "common/memory.h"
#include "common/progress.h"
#include "common/sort_keys.h"
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

static bool is_same_place(const struct stack_node *x, const struct stack_node *y)
{
	return x->object == y->object && x->address == y->address;
}

/* The used nodes, sorted by place. The caller frees it. */
static struct sort_key *sort_nodes(const struct stacks *stacks, size_t *n)
{
	struct sort_key *sorted = allocate(stacks->nnodes * sizeof(*sorted));
	bool *used = find_used(stacks);
	size_t i;

	for (i = 1, *n = 0; i < stacks->nnodes; i++)
		if (used[i])
			sorted[(*n)++].index = (uint32_t)i;
	free(used);
	sort_keys_by(sorted, *n, j, stacks->nodes[j].address);
	sort_keys_by(sorted, *n, j, stacks->nodes[j].object);
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
	struct sort_key *sorted = sort_nodes(stacks, &n);

	frames->of_node = allocate(stacks->nnodes * sizeof(*frames->of_node));
	add_row(frames, NO_ROW);
	for (i = 0; i < n; i++) {
		const struct stack_node *node = &nodes[sorted[i].index];
		uint32_t *begin = &frames->of_node[sorted[i].index];

		if (i && is_same_place(&nodes[sorted[i - 1].index], node)) {
			*begin = frames->of_node[sorted[i - 1].index];
			continue;
		}
		*begin = (uint32_t)frames->n;
		progress_count(i, n);
		add_place(frames, maker, node);
	}
	free(sorted);
}

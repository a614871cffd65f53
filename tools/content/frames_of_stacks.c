// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/frames_of_stacks.h"
#include "common/memory.h"
#include "common/progress.h"
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

/* Sorts the used nodes by object, and in each object by address. */
static void *sort_nodes(void *context)
{
	struct nodes_by_place *sorted = context;
	const struct stacks *stacks = sorted->stacks;
	size_t *ends = sorted->ends, at = 0, more, i;
	bool *used = find_used(stacks);

	for (i = 1; i < stacks->nnodes; i++)
		ends[stacks->nodes[i].object] += used[i];
	for (i = 0; i < sorted->nobjects; i++, at += more) {
		more = ends[i];
		ends[i] = at;
	}
	sorted->nodes = allocate(at * sizeof(*sorted->nodes));
	for (i = 1; i < stacks->nnodes; i++)
		if (used[i])
			sorted->nodes[ends[stacks->nodes[i].object]++] =
				(struct sort_key){ stacks->nodes[i].address, (uint32_t)i };
	free(used);
	for (at = i = 0; i < sorted->nobjects; at = ends[i++])
		if (ends[i] > at)
			sort_keys(&sorted->nodes[at], ends[i] - at);
	return NULL;
}

void frames_of_stacks_begin(struct nodes_by_place *sorted, const struct profile *profile)
{
	*sorted = (struct nodes_by_place){
		.stacks = &profile->stacks, .nobjects = profile->nobjects,
		.ends = allocate(profile->nobjects * sizeof(*sorted->ends)),
	};
	worker_begin(&sorted->worker, sort_nodes, sorted);
}

static void add_row(struct stack_frames *frames, uint32_t row)
{
	ensure(frames->rows, frames->n, frames->room);
	frames->rows[frames->n++] = row;
}

/* Adds the functions at a place, the outermost first. */
static void add_place(struct stack_frames *frames, struct row_maker *maker, uint32_t which,
		      uint64_t address)
{
	struct object *object = &maker->profile->objects[which];
	struct frame list[FRAMES_MOST];
	size_t n = frames_at(object, address, list), i;
	struct function function = *symbols_function(object, address);

	for (i = n; i--;)
		add_row(frames, row_maker_find(maker, which, &function,
					       &list[i], i + 1 < n)->row.number);
	add_row(frames, NO_ROW);
}

/* Looks up each place once, even if many stacks contain it. */
void frames_of_stacks_end(struct nodes_by_place *sorted, struct stack_frames *frames,
			  struct row_maker *maker)
{
	size_t i = 0, n;
	uint32_t object, begin = 0;

	worker_end(&sorted->worker);
	n = sorted->nobjects ? sorted->ends[sorted->nobjects - 1] : 0;
	frames->of_node = allocate(sorted->stacks->nnodes * sizeof(*frames->of_node));
	add_row(frames, NO_ROW);
	for (object = 0; object < sorted->nobjects; object++) {
		size_t first = i;

		for (; i < sorted->ends[object]; i++) {
			const struct sort_key *node = &sorted->nodes[i];

			if (i == first || node[-1].key != node->key) {
				begin = (uint32_t)frames->n;
				progress_count(i, n);
				add_place(frames, maker, object, node->key);
			}
			frames->of_node[node->index] = begin;
		}
	}
	free(sorted->nodes);
	free(sorted->ends);
}

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

/* The used nodes by object, and in each object by address. The caller frees them. */
struct places {
	struct sort_key	*nodes;		/* keys: addresses */
	size_t		*ends;		/* of the nodes of each object */
};

static struct places sort_nodes(const struct stacks *stacks, size_t nobjects)
{
	struct places places = { .ends = allocate(nobjects * sizeof(*places.ends)) };
	bool *used = find_used(stacks);
	size_t at = 0, more, i;

	for (i = 1; i < stacks->nnodes; i++)
		places.ends[stacks->nodes[i].object] += used[i];
	for (i = 0; i < nobjects; i++, at += more) {
		more = places.ends[i];
		places.ends[i] = at;
	}
	places.nodes = allocate(at * sizeof(*places.nodes));
	for (i = 1; i < stacks->nnodes; i++)
		if (used[i])
			places.nodes[places.ends[stacks->nodes[i].object]++] =
				(struct sort_key){ stacks->nodes[i].address, (uint32_t)i };
	free(used);
	for (at = i = 0; i < nobjects; at = places.ends[i++])
		if (places.ends[i] > at)
			sort_keys(&places.nodes[at], places.ends[i] - at);
	return places;
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
void frames_of_stacks(struct stack_frames *frames, struct row_maker *maker)
{
	const struct stacks *stacks = &maker->profile->stacks;
	size_t nobjects = maker->profile->nobjects, i = 0;
	struct places places = sort_nodes(stacks, nobjects);
	uint32_t object, begin = 0;

	frames->of_node = allocate(stacks->nnodes * sizeof(*frames->of_node));
	add_row(frames, NO_ROW);
	for (object = 0; object < nobjects; object++) {
		size_t first = i;

		for (; i < places.ends[object]; i++) {
			const struct sort_key *node = &places.nodes[i];

			if (i == first || node[-1].key != node->key) {
				begin = (uint32_t)frames->n;
				progress_count(i, places.ends[nobjects - 1]);
				add_place(frames, maker, object, node->key);
			}
			frames->of_node[node->index] = begin;
		}
	}
	free(places.nodes);
	free(places.ends);
}

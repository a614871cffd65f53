// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/waits.h"
#include "common/compare.h"
#include "common/memory.h"

#include <stdlib.h>

static enum stack_kind kind_of(const struct profile *profile, uint32_t node)
{
	const struct stack_node *found = &profile->stacks.nodes[node];

	return found->object < profile->nobjects ? profile->objects[found->object].kind :
						   KIND_RUNNING;
}

bool waits_is_shown(const struct profile *profile, uint32_t node)
{
	return waits_count(profile, kind_of(profile, node) != KIND_RUNNING);
}

static void add_wait(struct profile *profile, const struct stack_node *node, uint64_t ns)
{
	ensure(profile->waits, profile->nwaits, profile->waits_room);
	profile->waits[profile->nwaits++] = (struct place){
		.object = node->object, .address = node->address, .ns = ns,
	};
}

static void add_up(struct profile *profile)
{
	struct stacks *stacks = &profile->stacks;
	size_t i;

	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];
		enum stack_kind kind = kind_of(profile, count->node);

		stacks->threads[count->thread].kind_ns[kind] += count->ns;
		profile->kind_ns[kind] += count->ns;
		if (kind == KIND_WAITING)
			add_wait(profile, &stacks->nodes[count->node], count->ns);
	}
}

static int compare_calls(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return compare_numbers(x->address, y->address) ?:
	       compare_numbers(x->object, y->object);
}

static int compare_times(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return compare_numbers(y->ns, x->ns) ?: compare_calls(a, b);
}

static void merge_waits(struct profile *profile)
{
	struct place *waits = profile->waits;
	size_t i, n = 0;

	if (!profile->nwaits)
		return;
	qsort(waits, profile->nwaits, sizeof(*waits), compare_calls);
	for (i = 1; i < profile->nwaits; i++) {
		if (compare_calls(&waits[n], &waits[i]))
			waits[++n] = waits[i];
		else
			waits[n].ns += waits[i].ns;
	}
	profile->nwaits = n + 1;
	qsort(waits, profile->nwaits, sizeof(*waits), compare_times);
}

static void remove_others(struct profile *profile)
{
	struct stacks *stacks = &profile->stacks;
	size_t i, n = 0;

	for (i = 0; i < stacks->ncounts; i++)
		if (waits_is_shown(profile, stacks->counts[i].node))
			stacks->counts[n++] = stacks->counts[i];
	stacks->ncounts = n;
	for (i = n = 0; i < stacks->nmoments; i++)
		if (waits_is_shown(profile, stacks->moments[i].node))
			stacks->moments[n++] = stacks->moments[i];
	stacks->nmoments = n;
}

void waits_finish(struct profile *profile)
{
	if (!profile->has_waits && profile->shown != SHOW_WAITS)
		return;
	add_up(profile);
	merge_waits(profile);
	remove_others(profile);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/stacks.h"
#include "common/compare.h"
#include "common/memory.h"
#include "common/sort_keys.h"

#include <stdlib.h>

static uint64_t key_of(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

/* --- nodes and threads ---------------------------------------------------------- */

static uint64_t hash_node(uint32_t parent, uint32_t object, uint64_t address)
{
	return hash_set_mix(hash_set_mix(0, key_of(parent, object)), address);
}

/* The wanted node is stored behind the others. */
static bool is_same_node(const void *context, uint32_t i)
{
	const struct stacks *stacks = context;
	const struct stack_node *x = &stacks->nodes[i];
	const struct stack_node *y = &stacks->nodes[stacks->nnodes];

	return x->parent == y->parent && x->object == y->object &&
	       x->address == y->address;
}

static bool is_same_thread(const void *context, uint32_t i)
{
	const struct stacks *stacks = context;
	const struct thread *x = &stacks->threads[i];
	const struct thread *y = &stacks->threads[stacks->nthreads];

	return x->process == y->process && x->id == y->id;
}

static void add_node(struct stacks *stacks, uint32_t parent, uint32_t object,
		     uint64_t address)
{
	ensure(stacks->nodes, stacks->nnodes, stacks->nodes_room);
	stacks->nodes[stacks->nnodes] =
		(struct stack_node){ parent, object, address };
}

uint32_t stacks_node(struct stacks *stacks, uint32_t parent, uint32_t object,
		     uint64_t address)
{
	uint32_t *slot;

	if (!stacks->nnodes) {
		add_node(stacks, 0, UINT32_MAX, 0);
		stacks->nnodes++;
	}
	hash_set_reserve(&stacks->node_set, stacks->nnodes);
	add_node(stacks, parent, object, address);
	slot = hash_set_find(&stacks->node_set, hash_node(parent, object, address),
			     is_same_node, stacks);
	if (!*slot)
		*slot = (uint32_t)++stacks->nnodes;
	return *slot - 1;
}

uint32_t stacks_thread(struct stacks *stacks, uint32_t process, uint32_t id)
{
	uint32_t *slot;

	hash_set_reserve(&stacks->thread_set, stacks->nthreads);
	ensure(stacks->threads, stacks->nthreads, stacks->threads_room);
	stacks->threads[stacks->nthreads] =
		(struct thread){ .process = process, .id = id };
	slot = hash_set_find(&stacks->thread_set, hash_set_mix(0, key_of(process, id)),
			     is_same_thread, stacks);
	if (!*slot)
		*slot = (uint32_t)++stacks->nthreads;
	return *slot - 1;
}

/* --- counts and moments --------------------------------------------------------- */

static int compare_counts(const void *a, const void *b)
{
	const struct stack_count *x = a, *y = b;

	return compare_numbers(x->node, y->node) ?:
	       compare_numbers(x->thread, y->thread);
}

void stacks_merge_counts(struct stacks *stacks)
{
	struct sort_key *keys = sort_keys_make(stacks->ncounts);
	struct stack_count *counts = stacks->counts;
	size_t all = stacks->ncounts, n = 0, i;

	sort_keys_by(keys, all, j, key_of(counts[j].node, counts[j].thread));
	sort_keys_apply(keys, counts, all, sizeof(*counts));
	for (i = 1; i < all; i++) {
		if (counts[n].node == counts[i].node && counts[n].thread == counts[i].thread)
			counts[n].samples += counts[i].samples;
		else
			counts[++n] = counts[i];
	}
	stacks->nmerged = stacks->ncounts = all ? n + 1 : 0;
}

#define UNMERGED	((size_t)1 << 22)

uint32_t stacks_count(struct stacks *stacks, uint32_t node, uint32_t thread,
		      uint64_t samples, uint32_t last)
{
	struct stack_count *count = last < stacks->ncounts ? &stacks->counts[last] : NULL;

	if (count && count->node == node && count->thread == thread) {
		count->samples += samples;
		return last;
	}
	/* Many counts are of few stacks: merging them early saves memory. */
	if (stacks->ncounts >= 2 * stacks->nmerged + UNMERGED)
		stacks_merge_counts(stacks);
	ensure(stacks->counts, stacks->ncounts, stacks->counts_room);
	stacks->counts[stacks->ncounts] = (struct stack_count){ node, thread, samples, 0 };
	return (uint32_t)stacks->ncounts++;
}

uint32_t stacks_moment(struct stacks *stacks, const struct moment *moment, uint32_t last)
{
	if (!stacks->timeless) {
		ensure(stacks->moments, stacks->nmoments, stacks->moments_room);
		stacks->moments[stacks->nmoments++] = *moment;
	}
	return stacks_count(stacks, moment->node, moment->thread, moment->samples, last);
}

void stacks_count_moments(struct stacks *stacks)
{
	size_t i;

	stacks->nmerged = stacks->ncounts = 0;
	for (i = 0; i < stacks->nmoments; i++) {
		const struct moment *moment = &stacks->moments[i];

		stacks_count(stacks, moment->node, moment->thread, moment->samples, 0);
	}
	stacks_merge_counts(stacks);
}

void stacks_sort_moments(struct stacks *stacks)
{
	const struct moment *moments = stacks->moments;
	struct sort_key *keys;

	if (stacks->sorted)
		return;
	keys = sort_keys_make(stacks->nmoments);
	sort_keys_by(keys, stacks->nmoments, i, key_of(moments[i].thread, moments[i].node));
	sort_keys_by(keys, stacks->nmoments, i, moments[i].time_ns);
	sort_keys_apply(keys, stacks->moments, stacks->nmoments, sizeof(*moments));
	stacks->sorted = true;
}

struct stack_count *stacks_find_count(const struct stacks *stacks, uint32_t node,
				      uint32_t thread)
{
	const struct stack_count wanted = { .node = node, .thread = thread };

	return stacks->ncounts ?
		bsearch(&wanted, stacks->counts, stacks->ncounts,
			sizeof(wanted), compare_counts) : NULL;
}

void stacks_free(struct stacks *stacks)
{
	size_t i;

	for (i = 0; i < stacks->nthreads; i++)
		free(stacks->threads[i].name);
	free(stacks->nodes);
	free(stacks->threads);
	free(stacks->counts);
	free(stacks->moments);
	hash_set_free(&stacks->node_set);
	hash_set_free(&stacks->thread_set);
	*stacks = (struct stacks){ 0 };
}

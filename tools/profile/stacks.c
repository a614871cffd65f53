// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/stacks.h"
#include "common/compare.h"
#include "common/memory.h"
#include "common/sort_keys.h"

#include <stdlib.h>

/* --- nodes and threads ---------------------------------------------------------- */

static uint64_t hash_node(const void *nodes, uint32_t i)
{
	const struct stack_node *node = (const struct stack_node *)nodes + i;
	uint64_t hash = hash_set_mix(0, node->parent);

	return hash_set_mix(hash_set_mix(hash, node->object), node->address);
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

static uint64_t hash_thread(const void *threads, uint32_t i)
{
	const struct thread *thread = (const struct thread *)threads + i;

	return hash_set_mix(hash_set_mix(0, thread->process), thread->id);
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
	hash_set_reserve(&stacks->node_set, stacks->nnodes, hash_node,
			 stacks->nodes);
	add_node(stacks, parent, object, address);
	slot = hash_set_find(&stacks->node_set,
			     hash_node(stacks->nodes, (uint32_t)stacks->nnodes),
			     is_same_node, stacks);
	if (!*slot)
		*slot = (uint32_t)++stacks->nnodes;
	return *slot - 1;
}

uint32_t stacks_thread(struct stacks *stacks, uint32_t process, uint32_t id)
{
	uint32_t *slot;

	hash_set_reserve(&stacks->thread_set, stacks->nthreads, hash_thread,
			 stacks->threads);
	ensure(stacks->threads, stacks->nthreads, stacks->threads_room);
	stacks->threads[stacks->nthreads] =
		(struct thread){ .process = process, .id = id };
	slot = hash_set_find(&stacks->thread_set,
			     hash_thread(stacks->threads, (uint32_t)stacks->nthreads),
			     is_same_thread, stacks);
	if (!*slot)
		*slot = (uint32_t)++stacks->nthreads;
	return *slot - 1;
}

/* --- counts and moments --------------------------------------------------------- */

void stacks_count(struct stacks *stacks, const struct stack_count *count)
{
	ensure(stacks->counts, stacks->ncounts, stacks->counts_room);
	stacks->counts[stacks->ncounts++] = *count;
}

void stacks_moment(struct stacks *stacks, const struct moment *moment)
{
	ensure(stacks->moments, stacks->nmoments, stacks->moments_room);
	stacks->moments[stacks->nmoments++] = *moment;
}

static int compare_counts(const void *a, const void *b)
{
	const struct stack_count *x = a, *y = b;

	return compare_numbers(x->node, y->node) ?:
	       compare_numbers(x->thread, y->thread);
}

static uint64_t key_of(uint32_t node, uint32_t thread)
{
	return (uint64_t)node << 32 | thread;
}

#define CHUNK	65536	/* its keys fit into a CPU's cache */

/* Many moments are of few stacks: merging parts first saves memory. */
static void count_chunk(struct stacks *stacks, const struct moment *moments, size_t n)
{
	struct sort_key *keys = sort_keys_make(n);
	size_t i;

	sort_keys_by(keys, n, j, key_of(moments[j].node, moments[j].thread));
	for (i = 0; i < n; i++) {
		const struct moment *moment = &moments[keys[i].index];
		struct stack_count count = {
			.node = moment->node, .thread = moment->thread,
			.samples = moment->samples,
		};

		if (i && keys[i - 1].key == keys[i].key)
			stacks->counts[stacks->ncounts - 1].samples += count.samples;
		else
			stacks_count(stacks, &count);
	}
	free(keys);
}

static void merge_counts(struct stacks *stacks)
{
	struct sort_key *keys = sort_keys_make(stacks->ncounts);
	struct stack_count *counts = stacks->counts;
	size_t n = stacks->ncounts, i;

	sort_keys_by(keys, n, j, key_of(counts[j].node, counts[j].thread));
	stacks->counts = NULL;
	stacks->ncounts = stacks->counts_room = 0;
	for (i = 0; i < n; i++) {
		const struct stack_count *count = &counts[keys[i].index];

		if (i && keys[i - 1].key == keys[i].key)
			stacks->counts[stacks->ncounts - 1].samples += count->samples;
		else
			stacks_count(stacks, count);
	}
	free(counts);
	free(keys);
}

void stacks_count_moments(struct stacks *stacks)
{
	size_t i, n;

	for (i = 0; i < stacks->nmoments; i += n) {
		n = stacks->nmoments - i < CHUNK ? stacks->nmoments - i : CHUNK;
		count_chunk(stacks, &stacks->moments[i], n);
	}
	merge_counts(stacks);
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

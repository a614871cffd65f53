// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/stacks.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_FIRST	1024

/* --- what is known by what it is ----------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static uint64_t hash_node(const struct stacks *stacks, uint32_t i)
{
	const struct stack_node *node = &stacks->nodes[i];

	return mix(mix(mix(0, node->parent), node->object), node->address);
}

static bool same_node(const struct stacks *stacks, uint32_t i, uint32_t j)
{
	const struct stack_node *x = &stacks->nodes[i], *y = &stacks->nodes[j];

	return x->parent == y->parent && x->object == y->object &&
	       x->address == y->address;
}

static uint64_t hash_thread(const struct stacks *stacks, uint32_t i)
{
	return mix(mix(1, stacks->threads[i].process), stacks->threads[i].id);
}

static bool same_thread(const struct stacks *stacks, uint32_t i, uint32_t j)
{
	const struct thread *x = &stacks->threads[i], *y = &stacks->threads[j];

	return x->process == y->process && x->id == y->id;
}

/* The slot of what is like element @i: it has its number, or 0. Numbers are from 1. */
#define find_slot(stacks, set, kind, i) ({				\
	const struct stack_set *set_ = (set);				\
	size_t at_ = hash_##kind(stacks, i) & (set_->size - 1);		\
	while (set_->slots[at_] &&					\
	       !same_##kind(stacks, set_->slots[at_] - 1, i))		\
		at_ = (at_ + 1) & (set_->size - 1);			\
	&set_->slots[at_];						\
})

static uint32_t *node_slot(const struct stacks *stacks, uint32_t i)
{
	return find_slot(stacks, &stacks->node_set, node, i);
}

static uint32_t *thread_slot(const struct stacks *stacks, uint32_t i)
{
	return find_slot(stacks, &stacks->thread_set, thread, i);
}

/* Makes room in a set for one more than the @n that it has. */
static void grow(struct stacks *stacks, struct stack_set *set, size_t n,
		 uint32_t *slot(const struct stacks *stacks, uint32_t i))
{
	uint32_t i;

	if (2 * n < set->size)
		return;
	free(set->slots);
	set->size = set->size ? 2 * set->size : SIZE_FIRST;
	set->slots = allocate(set->size * sizeof(*set->slots));
	for (i = 0; i < n; i++)
		*slot(stacks, i) = i + 1;
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
	grow(stacks, &stacks->node_set, stacks->nnodes, node_slot);
	add_node(stacks, parent, object, address);
	slot = node_slot(stacks, (uint32_t)stacks->nnodes);
	if (!*slot)
		*slot = (uint32_t)++stacks->nnodes;
	return *slot - 1;
}

uint32_t stacks_thread(struct stacks *stacks, uint32_t process, uint32_t id)
{
	uint32_t *slot;

	grow(stacks, &stacks->thread_set, stacks->nthreads, thread_slot);
	ensure(stacks->threads, stacks->nthreads, stacks->threads_room);
	stacks->threads[stacks->nthreads] =
		(struct thread){ .process = process, .id = id };
	slot = thread_slot(stacks, (uint32_t)stacks->nthreads);
	if (!*slot)
		*slot = (uint32_t)++stacks->nthreads;
	return *slot - 1;
}

/* --- what is counted ------------------------------------------------------------ */

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

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void merge_counts(struct stacks *stacks)
{
	struct stack_count *counts = stacks->counts;
	size_t i, n = 0;

	if (!stacks->ncounts)
		return;
	qsort(counts, stacks->ncounts, sizeof(*counts), compare_counts);
	for (i = 1; i < stacks->ncounts; i++) {
		if (compare_counts(&counts[n], &counts[i])) {
			counts[++n] = counts[i];
		} else {
			counts[n].samples += counts[i].samples;
			counts[n].ns += counts[i].ns;
		}
	}
	stacks->ncounts = n + 1;
}

void stacks_finish(struct stacks *stacks)
{
	merge_counts(stacks);
	if (stacks->nmoments)
		qsort(stacks->moments, stacks->nmoments,
		      sizeof(*stacks->moments), compare_moments);
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
	free(stacks->node_set.slots);
	free(stacks->thread_set.slots);
	*stacks = (struct stacks){ NULL };
}

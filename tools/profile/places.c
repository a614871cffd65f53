// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sums up the counts of stacks for places, objects, processes and threads. */
#include "profile/places.h"
#include "common/memory.h"
#include "common/sort_keys.h"
#include "profile/waits.h"

#include <linux/profil.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_USUAL	1000000	/* ns: that of profil's own rate */

static void count_place(struct profile *profile, const struct place *place)
{
	struct process *process = &profile->processes[place->process];

	profile->objects[place->object].samples += place->samples;
	process->samples += place->samples;
	process->ns += place->ns;
	profile->samples += place->samples;
	profile->ns += place->ns;
}

static bool is_same_place(const struct place *x, const struct place *y)
{
	return x->object == y->object && x->address == y->address &&
	       x->process == y->process;
}

struct place_list {
	struct place	*list;
	size_t		n, room;
	size_t		most;	/* before they are merged */
};

/* Sorts the places, and merges those that are the same. */
static void merge(struct place_list *places)
{
	struct place *list = places->list;
	struct sort_key *keys = sort_keys_make(places->n);
	size_t n = 0, i;

	sort_keys_by(keys, places->n, j, list[j].process);
	sort_keys_by(keys, places->n, j, list[j].address);
	sort_keys_by(keys, places->n, j, list[j].object);
	sort_keys_apply(keys, list, places->n, sizeof(*list));
	for (i = 0; i < places->n; i++) {
		if (n && is_same_place(&list[n - 1], &list[i])) {
			list[n - 1].samples += list[i].samples;
			list[n - 1].ns += list[i].ns;
			continue;
		}
		list[n++] = list[i];
	}
	places->n = n;
}

/* Many stacks may have the same callers: these are merged before the list gets long. */
static void add_place(struct place_list *places, const struct place *place)
{
	if (places->n >= places->most) {
		merge(places);
		if (places->most < 2 * places->n)
			places->most = 2 * places->n;
	}
	ensure(places->list, places->n, places->room);
	places->list[places->n++] = *place;
}

static void forget_counts(struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nobjects; i++)
		profile->objects[i].samples = 0;
	for (i = 0; i < profile->nprocesses; i++)
		profile->processes[i].samples = profile->processes[i].ns = 0;
	for (i = 0; i < profile->stacks.nthreads; i++)
		profile->stacks.threads[i].samples =
			profile->stacks.threads[i].ns = 0;
	profile->samples = profile->ns = 0;
}

/* Processes without samples say nothing about the rate. */
static void find_rate(struct profile *profile)
{
	const struct process *first = NULL;
	size_t i;

	profile->mixed = false;
	for (i = 0; i < profile->nprocesses; i++) {
		const struct process *process = &profile->processes[i];

		if (!process->samples)
			continue;
		if (!first)
			first = process;
		profile->mixed |= process->period_ns != first->period_ns;
	}
	if (!first)
		first = profile->processes;
	profile->period_ns = first ? first->period_ns : 0;
	profile->rate = first ? first->rate : 0;
}

/* The place in user mode: for time in the kernel, the place that entered it. */
static struct place place_of(const struct profile *profile,
			     const struct stack_count *count)
{
	const struct stacks *stacks = &profile->stacks;
	const struct stack_node *node = &stacks->nodes[count->node];

	if (profile->objects[node->object].kernel && node->parent)
		node = &stacks->nodes[node->parent];
	return (struct place){
		.object = node->object, .address = node->address,
		.process = stacks->threads[count->thread].process,
		.samples = count->samples, .ns = count->ns,
	};
}

/* Whether node @i is the place of a node from @inner up to it. */
static bool is_repeated(const struct stack_node *nodes, uint32_t inner, uint32_t i)
{
	const struct stack_node *node = &nodes[i];

	for (; inner != i; inner = nodes[inner].parent)
		if (nodes[inner].object == node->object &&
		    nodes[inner].address == node->address)
			return true;
	return false;
}

/* Adds the places above node @inner outside of its @place, once each. */
static void add_callers(struct place_list *places, const struct stack_node *nodes,
			uint32_t inner, const struct place *place)
{
	struct place caller = *place;
	uint32_t i;

	for (i = nodes[inner].parent; i; i = nodes[i].parent) {
		caller.object = nodes[i].object;
		caller.address = nodes[i].address;
		if (caller.object == place->object && caller.address == place->address)
			continue;
		if (!is_repeated(nodes, inner, i))
			add_place(places, &caller);
	}
}

static void places_of_counts(struct profile *profile)
{
	struct stacks *stacks = &profile->stacks;
	struct place_list places = {
		.list = allocate(stacks->ncounts * sizeof(*places.list)),
		.room = stacks->ncounts, .most = 2 * stacks->ncounts,
	};
	size_t i;

	forget_counts(profile);
	for (i = 0; i < stacks->ncounts; i++) {
		struct stack_count *count = &stacks->counts[i];
		uint32_t process = stacks->threads[count->thread].process;
		struct place place;

		count->ns = count->samples * profile->processes[process].period_ns;
		if (!waits_is_shown(profile, count->node))
			continue;
		place = place_of(profile, count);
		stacks->threads[count->thread].samples += count->samples;
		stacks->threads[count->thread].ns += count->ns;
		count_place(profile, &place);
		add_place(&places, &place);
		if (profile->with_callers)
			add_callers(&places, stacks->nodes, count->node, &place);
	}
	merge(&places);
	free(profile->places);
	profile->places = resize(places.list, places.n * sizeof(*places.list));
	profile->nplaces = places.n;
	find_rate(profile);
}

/* A file that does not say its rate has the one of the first that does. */
static void find_periods(struct profile *profile)
{
	struct process known = { .period_ns = PERIOD_USUAL, .rate = PROFIL_RATE_FAST };
	size_t i;

	for (i = profile->nprocesses; i--;)
		if (profile->processes[i].period_ns)
			known = profile->processes[i];
	for (i = 0; i < profile->nprocesses; i++) {
		struct process *process = &profile->processes[i];

		if (process->period_ns)
			continue;
		process->period_ns = known.period_ns;
		process->rate = known.rate;
	}
}

/* In containers, each profil has the same pid. */
static bool are_of_one_run(const struct process *x, const struct process *y)
{
	bool beside = x->directory == y->directory ||
		      (x->rotated && x->rotated == y->rotated);

	return x->run == y->run && beside &&
	       (x->host && y->host ? !strcmp(x->host, y->host) : x->host == y->host);
}

static void count_runs(struct profile *profile)
{
	const struct process *processes = profile->processes;
	size_t i, j;

	for (i = 0; i < profile->nprocesses; i++) {
		for (j = 0; j < i && !are_of_one_run(&processes[i], &processes[j]);)
			j++;
		profile->runs += j == i;
	}
	if (!profile->runs)
		profile->runs = 1;
}

void places_finish(struct profile *profile)
{
	/* It is large, and there are no more stacks. */
	hash_set_free(&profile->stacks.node_set);
	count_runs(profile);
	find_periods(profile);
	stacks_merge_counts(&profile->stacks);
	places_of_counts(profile);
	profile->all_samples = profile->samples;
}

/* Samples by how complete their stacks are. */
static void count_flags(struct profile *profile)
{
	struct stacks *stacks = &profile->stacks;
	size_t i;

	memset(stacks->by_flags, 0, sizeof(stacks->by_flags));
	for (i = 0; i < stacks->nmoments; i++) {
		const struct moment *moment = &stacks->moments[i];

		if (waits_is_shown(profile, moment->node))
			stacks->by_flags[moment->flags] += moment->samples;
	}
}

void places_count_moments(struct profile *profile)
{
	count_flags(profile);
	stacks_count_moments(&profile->stacks);
	places_of_counts(profile);
}

/* Drops moments without a count, and sums up again. */
static void count_left(struct profile *profile)
{
	struct stacks *stacks = &profile->stacks;
	size_t i, n = 0;

	for (i = 0; i < stacks->nmoments; i++) {
		const struct moment *moment = &stacks->moments[i];

		if (stacks_find_count(stacks, moment->node, moment->thread))
			stacks->moments[n++] = *moment;
	}
	stacks->nmoments = n;
	count_flags(profile);
	places_of_counts(profile);
}

void places_select(struct profile *profile, places_wanted *wanted, bool keep,
		   const void *context)
{
	struct stacks *stacks = &profile->stacks;
	size_t i, n = 0;

	for (i = 0; i < stacks->ncounts; i++) {
		struct place place = place_of(profile, &stacks->counts[i]);
		const struct thread *thread = &stacks->threads[stacks->counts[i].thread];

		if (wanted(profile, &place, thread, context) == keep)
			stacks->counts[n++] = stacks->counts[i];
	}
	stacks->ncounts = n;
	count_left(profile);
}

/* Marks each node that is wanted or has a wanted caller. The caller frees it. */
static bool *find_wanted(const struct profile *profile, places_wanted *wanted,
			 const void *context)
{
	const struct stacks *stacks = &profile->stacks;
	bool *is = allocate(stacks->nnodes * sizeof(*is));
	size_t i;

	/* Callers come first. */
	for (i = 1; i < stacks->nnodes; i++) {
		const struct stack_node *node = &stacks->nodes[i];
		const struct place place = {
			.object = node->object, .address = node->address
		};

		is[i] = is[node->parent] || wanted(profile, &place, NULL, context);
	}
	return is;
}

void places_select_stacks(struct profile *profile, places_wanted *wanted, bool keep,
			  const void *context)
{
	struct stacks *stacks = &profile->stacks;
	bool *is = find_wanted(profile, wanted, context);
	size_t i, n = 0;

	for (i = 0; i < stacks->ncounts; i++)
		if (is[stacks->counts[i].node] == keep)
			stacks->counts[n++] = stacks->counts[i];
	stacks->ncounts = n;
	free(is);
	count_left(profile);
}

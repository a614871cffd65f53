// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Of a profile with stacks, these are what is counted, and places are made of
 * them; otherwise places are what is counted.
 */
#include "profile/places.h"
#include "common/memory.h"

#include <stdlib.h>

static void count_place(struct profile *profile, const struct place *place)
{
	struct process *process = &profile->processes[place->process];

	profile->objects[place->object].samples += place->samples;
	process->samples += place->samples;
	process->ns += place->ns;
	profile->samples += place->samples;
	profile->ns += place->ns;
}

void places_add(struct profile *profile, const struct place *place)
{
	ensure(profile->places, profile->nplaces, profile->places_room);
	profile->places[profile->nplaces++] = *place;
	count_place(profile, place);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->process < y->process ? -1 : x->process > y->process;
}

static void merge_places(struct profile *profile)
{
	struct place *places = profile->places;
	size_t i, n = 0;

	if (!profile->nplaces)
		return;
	qsort(places, profile->nplaces, sizeof(*places), compare_places);
	for (i = 1; i < profile->nplaces; i++) {
		if (compare_places(&places[n], &places[i])) {
			places[++n] = places[i];
		} else {
			places[n].samples += places[i].samples;
			places[n].ns += places[i].ns;
		}
	}
	profile->nplaces = n + 1;
}

/* Places, and what is counted of objects, processes and threads, again. */
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

/* Where the program was: what is in the kernel has been entered from there. */
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

static void places_of_counts(struct profile *profile)
{
	struct stacks *stacks = &profile->stacks;
	size_t i;

	forget_counts(profile);
	profile->nplaces = 0;
	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];
		struct place place = place_of(profile, count);

		stacks->threads[count->thread].samples += count->samples;
		stacks->threads[count->thread].ns += count->ns;
		places_add(profile, &place);
	}
	merge_places(profile);
}

static void counts_of_moments(struct profile *profile)
{
	struct stacks *stacks = &profile->stacks;
	size_t i;

	for (i = 0; i < stacks->nmoments; i++) {
		const struct moment *moment = &stacks->moments[i];
		uint32_t process = stacks->threads[moment->thread].process;
		struct stack_count count = {
			.node = moment->node, .thread = moment->thread,
			.samples = moment->samples,
			.ns = moment->samples *
			      profile->processes[process].period_ns,
		};

		stacks_count(stacks, &count);
	}
}

/* What files without stacks have: stacks of one place. */
static void counts_of_places(struct profile *profile)
{
	struct stacks *stacks = &profile->stacks;
	size_t i;

	for (i = 0; i < profile->nplaces; i++) {
		const struct place *place = &profile->places[i];
		struct stack_count count = {
			.node = stacks_node(stacks, 0, place->object,
					    place->address),
			.thread = stacks_thread(stacks, place->process, 0),
			.samples = place->samples, .ns = place->ns,
		};

		stacks_count(stacks, &count);
	}
}

void places_finish(struct profile *profile)
{
	merge_places(profile);
	if (profile_has_stacks(profile)) {
		counts_of_places(profile);
		counts_of_moments(profile);
		stacks_finish(&profile->stacks);
		places_of_counts(profile);
	}
	profile->all_samples = profile->samples;
}

void places_count_moments(struct profile *profile)
{
	profile->stacks.ncounts = 0;
	counts_of_moments(profile);
	stacks_finish(&profile->stacks);
	places_of_counts(profile);
}

static void selection_apply(struct profile *profile, places_wanted *wanted,
			    const void *context)
{
	size_t i, n = 0;

	for (i = 0; i < profile->nplaces; i++)
		if (wanted(profile, &profile->places[i], context))
			profile->places[n++] = profile->places[i];
	profile->nplaces = n;
	forget_counts(profile);
	for (i = 0; i < n; i++)
		count_place(profile, &profile->places[i]);
}

/* What is left of the counts is what counts. */
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
	places_of_counts(profile);
}

static void select_counts(struct profile *profile, places_wanted *wanted,
			  const void *context)
{
	struct stacks *stacks = &profile->stacks;
	size_t i, n = 0;

	for (i = 0; i < stacks->ncounts; i++) {
		struct place place = place_of(profile, &stacks->counts[i]);

		if (wanted(profile, &place, context))
			stacks->counts[n++] = stacks->counts[i];
	}
	stacks->ncounts = n;
	count_left(profile);
}

/* Of each node, whether it is wanted or a caller of it is; to be freed. */
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

		is[i] = is[node->parent] || wanted(profile, &place, context);
	}
	return is;
}

void places_select_stacks(struct profile *profile, places_wanted *wanted,
			  const void *context)
{
	struct stacks *stacks = &profile->stacks;
	bool *is = find_wanted(profile, wanted, context);
	size_t i, n = 0;

	for (i = 0; i < stacks->ncounts; i++)
		if (is[stacks->counts[i].node])
			stacks->counts[n++] = stacks->counts[i];
	stacks->ncounts = n;
	free(is);
	count_left(profile);
}

void places_select(struct profile *profile, places_wanted *wanted,
		   const void *context)
{
	if (profile_has_stacks(profile))
		select_counts(profile, wanted, context);
	else
		selection_apply(profile, wanted, context);
}

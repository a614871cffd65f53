// SPDX-License-Identifier: LGPL-2.1-or-later
#include "top/counts.h"
#include "common/memory.h"
#include "object/frames.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FUNCTIONS_MOST	((size_t)1 << 18)
#define CALLS_MOST_KEPT	((size_t)1 << 20)
#define THREADS_MOST	((size_t)1 << 16)
#define PLACES_MOST	((size_t)1 << 20)

/* --- the tables ------------------------------------------------------------------- */

/* In each table, the wanted element is stored behind the others. */

static uint64_t hash_function(const struct top_function *function)
{
	return hash_set_mix_text(hash_set_mix(0, function->object), function->name);
}

static bool is_same_function(const void *context, uint32_t i)
{
	const struct counts *counts = context;
	const struct top_function *x = &counts->functions[i];
	const struct top_function *y = &counts->functions[counts->nfunctions];

	return x->object == y->object && !strcmp(x->name, y->name);
}

/* The function @name; when there are too many, one for all others. */
static uint32_t find_function(struct counts *counts, uint32_t object, const char *name)
{
	struct top_function *wanted;
	uint32_t *slot;

	hash_set_reserve(&counts->function_set, counts->nfunctions);
	ensure(counts->functions, counts->nfunctions, counts->functions_room);
	wanted = &counts->functions[counts->nfunctions];
	if (counts->nfunctions >= FUNCTIONS_MOST)
		name = "[others]";
	*wanted = (struct top_function){
		.object = object, .name = (char *)(uintptr_t)name,
	};
	slot = hash_set_find(&counts->function_set, hash_function(wanted), is_same_function,
			     counts);
	if (!*slot) {
		wanted->name = copy_text(name);
		*slot = (uint32_t)++counts->nfunctions;
	}
	return *slot - 1;
}

static uint64_t hash_call(const struct top_call *call)
{
	return hash_set_mix(hash_set_mix(0, call->callee), call->caller);
}

static bool is_same_call(const void *context, uint32_t i)
{
	const struct counts *counts = context;
	const struct top_call *x = &counts->calls[i], *y = &counts->calls[counts->ncalls];

	return x->callee == y->callee && x->caller == y->caller;
}

/* NULL: there are too many. */
static struct top_call *find_call(struct counts *counts, uint32_t callee, uint32_t caller)
{
	uint32_t *slot;

	hash_set_reserve(&counts->call_set, counts->ncalls);
	ensure(counts->calls, counts->ncalls, counts->calls_room);
	counts->calls[counts->ncalls] = (struct top_call){
		.callee = callee, .caller = caller,
	};
	slot = hash_set_find(&counts->call_set, hash_call(&counts->calls[counts->ncalls]),
			     is_same_call, counts);
	if (!*slot && counts->ncalls >= CALLS_MOST_KEPT)
		return NULL;
	if (!*slot)
		*slot = (uint32_t)++counts->ncalls;
	return &counts->calls[*slot - 1];
}

static uint64_t hash_thread(const struct top_thread *thread)
{
	return hash_set_mix(hash_set_mix(0, thread->process), thread->id);
}

static bool is_same_thread(const void *context, uint32_t i)
{
	const struct counts *counts = context;
	const struct top_thread *x = &counts->threads[i];
	const struct top_thread *y = &counts->threads[counts->nthreads];

	return x->process == y->process && x->id == y->id;
}

/* When there are too many, thread 0 is for all others of its process. */
uint32_t counts_thread(struct counts *counts, uint32_t process, uint32_t id)
{
	uint32_t *slot;

	hash_set_reserve(&counts->thread_set, counts->nthreads);
	ensure(counts->threads, counts->nthreads, counts->threads_room);
	counts->threads[counts->nthreads] = (struct top_thread){
		.process = process, .id = id,
	};
	slot = hash_set_find(&counts->thread_set,
			     hash_thread(&counts->threads[counts->nthreads]),
			     is_same_thread, counts);
	if (!*slot && counts->nthreads >= THREADS_MOST && id)
		return counts_thread(counts, process, 0);
	if (!*slot)
		*slot = (uint32_t)++counts->nthreads;
	return *slot - 1;
}

uint32_t counts_process(struct counts *counts, uint32_t pid)
{
	ensure(counts->processes, counts->nprocesses, counts->processes_room);
	counts->processes[counts->nprocesses] = (struct top_process){ .pid = pid };
	return (uint32_t)counts->nprocesses++;
}

/* --- places ----------------------------------------------------------------------- */

static uint64_t hash_place(const struct top_place *place)
{
	return hash_set_mix(hash_set_mix(0, place->object), place->address);
}

static bool is_same_place(const void *context, uint32_t i)
{
	const struct counts *counts = context;
	const struct top_place *x = &counts->places[i];
	const struct top_place *y = &counts->places[counts->nplaces];

	return x->object == y->object && x->address == y->address;
}

static void forget_places(struct counts *counts)
{
	hash_set_clear(&counts->place_set, counts->nplaces);
	counts->nplaces = counts->nframes = 0;
}

/* Looks the functions up, when a place is seen for the first time. */
static void look_up(struct counts *counts, struct top_place *place)
{
	struct object *object = &counts->profile.objects[place->object];
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, place->address, frames), i;

	counts->misses |= object->pid &&
			  !symbols_function(object, place->address)->known;
	place->first = (uint32_t)counts->nframes;
	place->n = (uint32_t)n;
	for (i = 0; i < n; i++) {
		ensure(counts->frames, counts->nframes, counts->frames_room);
		counts->frames[counts->nframes++] =
			find_function(counts, place->object, frames[i].name);
	}
}

static const struct top_place *find_place(struct counts *counts,
					  const struct place *place)
{
	struct top_place *wanted;
	uint32_t *slot;

	if (counts->nplaces >= PLACES_MOST || counts->nframes >= 4 * PLACES_MOST)
		forget_places(counts);
	hash_set_reserve(&counts->place_set, counts->nplaces);
	ensure(counts->places, counts->nplaces, counts->places_room);
	wanted = &counts->places[counts->nplaces];
	*wanted = (struct top_place){ .object = place->object, .address = place->address };
	slot = hash_set_find(&counts->place_set, hash_place(wanted), is_same_place, counts);
	if (!*slot)
		*slot = (uint32_t)++counts->nplaces;
	wanted = &counts->places[*slot - 1];
	if (!wanted->n)
		look_up(counts, wanted);
	return wanted;
}

/* --- counting --------------------------------------------------------------------- */

void counts_sample(struct counts *counts, const struct place *place, uint64_t ns)
{
	const struct top_place *found = find_place(counts, place);

	counts->functions[counts->frames[found->first]].self.all += ns;
	counts->time.all += ns;
	counts->samples.all++;
}

/* A recursive function, and its calls, count once for each stack. */
static void add_function(struct counts *counts, uint32_t i, uint32_t callee, uint64_t ns)
{
	struct top_function *function = &counts->functions[i];
	struct top_call *call;

	if (function->stack != counts->stacks) {
		function->stack = counts->stacks;
		function->total.all += ns;
	}
	if (callee == NO_FUNCTION) {
		function->recorded.all += ns;
		return;
	}
	call = find_call(counts, callee, i);
	if (call && call->stack != counts->stacks) {
		call->stack = counts->stacks;
		call->time.all += ns;
	}
}

void counts_stack(struct counts *counts, const struct place *places, size_t n,
		  uint32_t thread, uint64_t ns)
{
	uint32_t callee = NO_FUNCTION, j;
	size_t i;

	counts->stacks++;
	counts->threads[thread].time.all += ns;
	for (i = 0; i < n; i++) {
		const struct top_place *place = find_place(counts, &places[i]);

		for (j = 0; j < place->n; j++) {
			uint32_t function = counts->frames[place->first + j];

			add_function(counts, function, callee, ns);
			callee = function;
		}
	}
}

static void end_interval(struct tally *tally)
{
	tally->last = tally->all - tally->before;
	tally->before = tally->all;
}

static void zero(struct tally *tally)
{
	*tally = (struct tally){ 0 };
}

static void change_all(struct counts *counts, void (*change)(struct tally *tally))
{
	size_t i;

	for (i = 0; i < counts->nfunctions; i++) {
		change(&counts->functions[i].self);
		change(&counts->functions[i].recorded);
		change(&counts->functions[i].total);
	}
	for (i = 0; i < counts->ncalls; i++)
		change(&counts->calls[i].time);
	for (i = 0; i < counts->nthreads; i++)
		change(&counts->threads[i].time);
	change(&counts->time);
	change(&counts->samples);
}

static uint64_t size_of_maps(const struct counts *counts)
{
	struct stat status;
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < counts->profile.nobjects; i++) {
		uint32_t pid = counts->profile.objects[i].pid;
		char *path = pid ? format_text("/tmp/perf-%u.map", pid) : NULL;

		if (path && stat(path, &status) == 0)
			size += (uint64_t)status.st_size;
		free(path);
	}
	return size;
}

/* If virtual machines have told more names: looks at their code again. */
static void read_maps(struct counts *counts)
{
	uint64_t size = size_of_maps(counts);
	size_t i;

	counts->misses = false;
	if (size == counts->maps)
		return;
	counts->maps = size;
	for (i = 0; i < counts->profile.nobjects; i++)
		if (counts->profile.objects[i].pid)
			symbols_free(&counts->profile.objects[i]);
	for (i = 0; i < counts->nplaces; i++)
		if (counts->profile.objects[counts->places[i].object].pid)
			counts->places[i].n = 0;
}

void counts_interval(struct counts *counts)
{
	change_all(counts, end_interval);
	if (counts->misses)
		read_maps(counts);
}

void counts_zero(struct counts *counts)
{
	change_all(counts, zero);
}

uint64_t counts_self(const struct top_function *function)
{
	return function->self.all > function->recorded.all ? function->self.all :
							   function->recorded.all;
}

uint64_t counts_total(const struct top_function *function)
{
	return function->total.all + counts_self(function) - function->recorded.all;
}

void counts_free(struct counts *counts)
{
	size_t i;

	for (i = 0; i < counts->profile.nobjects; i++)
		symbols_free(&counts->profile.objects[i]);
	for (i = 0; i < counts->nfunctions; i++)
		free(counts->functions[i].name);
	for (i = 0; i < counts->nthreads; i++)
		free(counts->threads[i].name);
	for (i = 0; i < counts->nprocesses; i++)
		free(counts->processes[i].name);
	hash_set_free(&counts->function_set);
	hash_set_free(&counts->call_set);
	hash_set_free(&counts->thread_set);
	hash_set_free(&counts->place_set);
	free(counts->functions);
	free(counts->calls);
	free(counts->threads);
	free(counts->processes);
	free(counts->places);
	free(counts->frames);
	profile_free(&counts->profile);
}

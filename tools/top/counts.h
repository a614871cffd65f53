/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPU time by function, call and thread, added up as samples come in. Each table has a
 * bound: the memory depends on the code that ran, and not on how long.
 */
#ifndef COUNTS_H
#define COUNTS_H

#include "profile/profile.h"

#define NO_FUNCTION	UINT32_MAX

/* CPU time in ns. */
struct tally {
	uint64_t	all;
	uint64_t	before;		/* @all when the interval began */
	uint64_t	last;		/* in the last interval */
};

struct top_function {
	uint32_t	object;
	char		*name;
	struct tally	self;		/* by the samples */
	struct tally	recorded;	/* the same, by the stacks, which may come later */
	struct tally	total;		/* of the stacks that contain it */
	uint64_t	stack;		/* the last of these */
};

struct top_call {
	uint32_t	callee, caller;
	struct tally	time;
	uint64_t	stack;
};

struct top_thread {
	uint32_t	process, id;
	char		*name;		/* NULL: unknown */
	struct tally	time;
};

struct top_process {
	uint32_t	pid;
	char		*name;
};

/* The functions at a place: frames[first] is the innermost one. n is 0: look again. */
struct top_place {
	uint32_t	object, first, n;
	uint64_t	address;
};

struct counts {
	struct profile		profile;	/* its objects */
	struct top_function	*functions;
	size_t			nfunctions, functions_room;
	struct top_call		*calls;
	size_t			ncalls, calls_room;
	struct top_thread	*threads;
	size_t			nthreads, threads_room;
	struct top_process	*processes;
	size_t			nprocesses, processes_room;
	struct top_place	*places;	/* found before */
	size_t			nplaces, places_room;
	uint32_t		*frames;
	size_t			nframes, frames_room;
	struct hash_set		function_set, call_set, thread_set, place_set;
	struct tally		time, samples;	/* of all; the samples are a number */
	uint64_t		stacks;
	bool			misses;		/* generated code without a name, */
	uint64_t		maps;		/* and the size of the maps that were read */
};

uint32_t counts_process(struct counts *counts, uint32_t pid);
uint32_t counts_thread(struct counts *counts, uint32_t process, uint32_t id);

/* A sample of @ns in a place. */
void counts_sample(struct counts *counts, const struct place *place, uint64_t ns);

/* A stack, innermost place first, that one or more samples have. */
void counts_stack(struct counts *counts, const struct place *places, size_t n,
		  uint32_t thread, uint64_t ns);

/* Ends an interval. */
void counts_interval(struct counts *counts);

/* Begins to count again. */
void counts_zero(struct counts *counts);

/* Time in the function, and with all it called. A sample may have no stack, or not yet. */
uint64_t counts_self(const struct top_function *function);
uint64_t counts_total(const struct top_function *function);

void counts_free(struct counts *counts);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process that profiles itself and does things to itself, all of it decided
 * by a seed and a number; only when the kernel does what is not. What must
 * hold whatever it did is checked on the way.
 */
#ifndef STRESS_ACTOR_H
#define STRESS_ACTOR_H

#include <stdint.h>

/* What a run must have done: the name of its count. */
#define STRESS_THINGS(X)						\
	X(START_HISTOGRAM, "starts of histograms") \
	X(START_SAMPLES, "starts of sample arrays") \
	X(REPLACE, "replacements") \
	X(STOP, "stops") \
	X(FORK, "forks") \
	X(VFORK, "vforks") \
	X(EXEC, "execs") \
	X(THREAD, "threads") \
	X(KILL_CHILD, "children killed") \
	X(DISCARD, "MADV_DONTNEED") \
	X(PAGEOUT, "MADV_PAGEOUT") \
	X(COLD, "MADV_COLD") \
	X(FREE, "MADV_FREE") \
	X(MERGEABLE, "MADV_MERGEABLE") \
	X(TRY_COLLAPSE, "tries of MADV_COLLAPSE") \
	X(COLLAPSE, "MADV_COLLAPSE") \
	X(PROTECT, "mprotects") \
	X(REMAP, "mremaps") \
	X(UNMAP_BUFFER, "buffers unmapped") \
	X(UNMAP_PAGE, "status pages unmapped") \
	X(STOP_OWN, "stops of threads' own") \
	X(SUMS, "buffers summed up") \
	X(KILLS, "processes killed") \
	X(DEFERRED, "updates deferred") \
	X(FAULTS, "faults") \
	X(CPU_OFF, "CPUs off") \
	X(CPU_ON, "CPUs on") \
	X(RMMOD, "removals tried")

#define STRESS_COUNT(name, text)	DID_##name,
enum stress_count {
	STRESS_THINGS(STRESS_COUNT)
	DID_COUNTED, DID_TICKS, DID_DROPPED, DID_ACTORS,
};

void act(uint64_t number);

#endif /* STRESS_ACTOR_H */

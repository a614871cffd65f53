/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process that profiles itself and does things to itself, all of it decided
 * by a seed and a number; only when the kernel does what is not. What must
 * hold whatever it did is checked on the way.
 */
#ifndef STRESS_ACTOR_H
#define STRESS_ACTOR_H

#include <stdint.h>

/* What is counted in the outcome. */
enum stress_count {
	DID_START_HISTOGRAM, DID_START_SAMPLES, DID_REPLACE, DID_STOP,
	DID_FORK, DID_VFORK, DID_EXEC, DID_THREAD, DID_KILL_CHILD,
	DID_DISCARD, DID_PAGEOUT, DID_COLD, DID_FREE, DID_MERGEABLE, DID_TRY_COLLAPSE,
	DID_COLLAPSE,
	DID_PROTECT, DID_REMAP, DID_UNMAP_BUFFER,
	DID_UNMAP_PAGE, DID_REMAP_PAGE, DID_SHARE, DID_STOP_OWN, DID_LEAVE,
	DID_TICKS, DID_COUNTED, DID_DROPPED, DID_DEFERRED, DID_FAULTS, DID_SUMS,
	DID_ACTORS, DID_KILLS,
	DID_CPU_OFF, DID_CPU_ON, DID_HOOKS_OFF, DID_HOOKS_ON, DID_RMMOD,
	STRESS_COUNTS,
};

/* Does not return. */
void act(uint64_t seed, uint64_t number) __attribute__((noreturn));

#endif /* STRESS_ACTOR_H */

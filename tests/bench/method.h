/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ways to profile, each with the same work. */
#ifndef _BENCH_METHOD_H
#define _BENCH_METHOD_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct method - a way to profile.
 * @name:          what it is.
 * @own_interrupt: samples come by interrupts of their own, not with the tick.
 * @start:         begin to profile this process; @argument is its.
 * @samples:       samples taken so far; NULL if it is others that are profiled.
 * @stop:          end it.
 */
struct method {
	const char *name;
	bool own_interrupt;
	void (*start)(unsigned int argument);
	unsigned int argument;
	uint64_t (*samples)(void);
	void (*stop)(void);
};

/* Ends with a method without a name. */
extern const struct method methods[];

/* What starts and stops a profile, to see what that takes. */
struct pair {
	const char *name;
	void (*on_off)(void);
};

/* Ends with a pair without a name. */
extern const struct pair pairs[];

/* A histogram of the first @n of 4096 regions, of every tick. */
void start_regions(unsigned int n);

/*
 * A sample array of every tick, with a stream of stacks of @bytes, or without.
 * stack_bytes(): what is in it.
 */
void start_stacks(unsigned int bytes);
/* The same every ms, with stacks, and flags of the request. */
void start_stacks_at(unsigned int rate, unsigned int flags);
uint64_t stack_bytes(void);

/*
 * perf's samples of each tick, with a chain of frame pointers or a copy of the stack.
 * perf_bytes(): what they have taken.
 */
void start_perf_stacks(bool copy);
uint64_t perf_bytes(void);
void stop_perf(void);

/* Unmaps the page of a profile that has stopped. */
void forget_profile(void);

/* Where code is; what was kept of stacks before is not used any more. */
void tell_objects(void);

/* Calls @what from so many calls of itself. */
void with_frames(unsigned int frames, void (*what)(void));

/* Ticks counted so far in the histogram or the sample array that is on. */
uint64_t profile_samples(void);

/* Ends it, and the program if a sample was dropped. */
void stop_profile(void);

/* So many other processes, 2000 at most, are profiled at @rate, and sleep; this one is not. */
void start_bystanders(unsigned int n, unsigned int rate);
void stop_bystanders(void);

/*
 * Another thread of this process that does nothing but yield, after so many loops, and notes
 * when: switch_to_partner() is two context switches, there and back, and always the same ones.
 */
extern volatile uint64_t partner_yields;
void start_partner(unsigned int loops);
void switch_to_partner(void);
void stop_partner(void);

/* Opens the device. */
void methods_open(void);

/* Leaves nothing of ours with the module, and unloads it. */
void methods_close(void);

/* Says what failed and ends the program. */
__attribute__((noreturn))
void fail(const char *what);

#endif /* _BENCH_METHOD_H */

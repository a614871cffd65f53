/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Work for profiles to find: functions whose addresses and CPU time tests know. Each hot
 * function has a section of its own, so that its bounds are known exactly.
 */
#ifndef SELFTESTS_WORK_H
#define SELFTESTS_WORK_H

#include "device.h"
#include "machine.h"

/* Loops of a few instructions. */
void hot_a(unsigned long n);
void hot_b(unsigned long n);

/* The same loop over WIDE_BLOCKS basic blocks of WIDE_BYTES each. */
#define WIDE_BLOCKS	256
#define WIDE_BYTES	16
void hot_wide(unsigned long n);

/* System calls that spend nearly all their time in the kernel. */
void hot_syscall(unsigned long n);

struct text text_a(void);
struct text text_b(void);
struct text text_wide(void);
struct text text_syscall(void);

/* CPU time of the process, of the calling thread and of another, in nanoseconds. */
#define process_ns()	clock_ns(CLOCK_PROCESS_CPUTIME_ID)
#define thread_ns()	clock_ns(CLOCK_THREAD_CPUTIME_ID)
uint64_t ns_of(pthread_t thread);

/* Iterations of hot_a() or hot_b() in a millisecond of CPU time. */
unsigned long work_per_ms(void);

/* hot_a() until the profile has seen n more ticks; false if none come. */
bool work_for_ticks(uint64_t n);

/* hot_a() until the profile has ended by itself; false if it does not. */
bool work_while_on(void);

/* The same as work_for_ticks(), with other work: once() is some 50 us of it. */
bool work_until(uint64_t ticks, void (*once)(void));

/*
 * hot(n); true if ticks came meanwhile. A late timer takes all samples that are due in one
 * place, so tests that need samples in several places count these, and not the ticks.
 */
bool has_ticks_in(void (*hot)(unsigned long n), unsigned long n);

/* hot_a() until ticks have come in n places of it; false if they do not. */
bool work_for_places(unsigned int n);

/* As many ticks as this, or fewer where threads only take turns on one CPU. */
uint64_t contended(uint64_t ticks);

/* Threads that do hot_a(), at a lower priority than who starts them. */
#define MOST_WORKERS	64
void start_workers(unsigned int n);
void end_workers(void);

/*
 * What must at least be seen of ticks in work that has one place. Where
 * instructions are the clock, nearly all; an emulated multiprocessor that its
 * host starves spends many of its ticks between two pieces of work.
 */
uint64_t most_of(uint64_t ticks);

/* Guests with one CPU whose clock is instructions; guests with several. */
bool icount(void);
unsigned int cpus(void);

#define NEEDS_ICOUNT() do {						\
	if (!icount())							\
		SKIP("needs ICOUNT=1");					\
} while (0)

#define NEEDS_CPUS(n) do {						\
	if (cpus() < (n))						\
		SKIP("needs " #n " CPUs");				\
} while (0)

#define NEEDS_ROOT() do {						\
	if (geteuid() != 0)						\
		SKIP("needs root");					\
} while (0)

/* Call stacks have no callers of arm64's 32-bit programs. */
#ifdef __arm__
#define NEEDS_WALKS()	SKIP("needs code that is walked")
#else
#define NEEDS_WALKS()	do { } while (0)
#endif

#endif /* SELFTESTS_WORK_H */

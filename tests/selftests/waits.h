/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PROFIL_WAITS: the samples of a thread's CPU time and of its waits are its lifetime, in
 * milliseconds, and each of the two has its share.
 */
#ifndef SELFTESTS_WAITS_H
#define SELFTESTS_WAITS_H

#include "stream.h"

#define MS		1000000.0
#define LONG_MS		300
/* The wait is in a fault, or has no reason that a thread can give. */
#define NO_CALL		(-1L)

/* What libc calls instead on other machines. */
#ifndef SYS_poll
#define SYS_poll	SYS_ppoll
#define SYS_pause	SYS_ppoll
#define SYS_vfork	SYS_clone
#endif

static struct stream stream;

/* Time and CPU time of a thread. */
struct moment {
	uint64_t	ns, cpu;
};

/*
 * A profiled thread, from @first or a little later, @from at the latest, to @to or a little
 * later, @last at the latest. On a busy machine, this can be long.
 */
struct life {
	pid_t		tid;
	struct moment	first, from, to, last;
};

static inline struct moment now(void)
{
	return (struct moment) { .ns = now_ns(), .cpu = thread_ns() };
}

static struct life me;
/* Each may lose the sample of a switch while it exits. */
static unsigned int threads_that_exit = 1;

static inline void prepare(void)
{
	stream = (struct stream) {
		.array = private_memory(STREAM_SAMPLES * sizeof(uint64_t)),
		.bytes = private_memory(STREAM_BYTES), .size = STREAM_BYTES,
	};
	/* Absent pages cost samples while others hold the mmap lock. */
	memset(stream.bytes, 0, 1 << 20);
	needs_stacks();
	set_own_objects();
	work_per_ms();
	me.tid = (pid_t)syscall(SYS_gettid);
	me.first = now();
}

static inline void start_waits(void)
{
	prepare();
	CHECK_EQ(start_flags(&stream, PROFIL_RATE_FAST, PROFIL_WAITS), 0);
	me.from = now();
}

static inline struct profil_status stop_waits(void)
{
	struct profil_status st;

	me.to = now();
	st = accounted();
	me.last = now();
	check_stream(&stream, &st);
	CHECK_LE(st.waits_lost, threads_that_exit);
	return st;
}

/*
 * Samples of a thread, of one clock each; and of sleep in one system call. Of its records of
 * waits, those of its own start and end do not count: both may be in the assembler of clone().
 */
struct sums {
	uint64_t	ticks, sleep, runnable, in_call;
	uint32_t	walked, records;
};

static inline struct sums sums_of(pid_t tid, long call)
{
	struct profil_stack stack;
	struct sums sums = {};
	bool wait, runnable;
	long in;

	FOR_EACH_STACK(&stream, stream.size, &stack) {
		if (stack.thread != (uint32_t)tid)
			continue;
		wait = stack.flags & PROFIL_STACK_WAIT;
		runnable = stack.flags & PROFIL_STACK_RUNNABLE;
		*(!wait ? &sums.ticks : runnable ? &sums.runnable : &sums.sleep) += stack.count;
		CHECK(!wait || stack.span_ns <= stack.time_ns);
		in = stack.flags & PROFIL_STACK_SYSCALL ? (long)stack.syscall : NO_CALL;
		if (wait && in != SYS_clone3 && in != SYS_clone && in != SYS_exit) {
			sums.records++;
			sums.walked += !stack.end && stack.nframes > 1;
		}
		sums.in_call += wait && !runnable && in == call ? stack.count : 0;
	}
	return sums;
}

/*
 * With several CPUs, the host takes a CPU away at any moment, also between two looks at the
 * clock. Then times are not exact.
 */
static inline double host_ms(void)
{
	return icount() ? 0 : LONG_MS / 6.0;
}

static inline void check_between(double samples, uint64_t least, uint64_t most, double tolerance)
{
	tolerance += host_ms();
	if (samples < (double)least / MS - tolerance || samples > (double)most / MS + tolerance)
		FAIL("%.0f samples in %.2f to %.2f ms", samples, (double)least / MS,
		     (double)most / MS);
}

/* After the stop: CPU time, and all of the time, have their samples. */
static inline struct sums check_life(const char *who, const struct life *l, long call)
{
	uint64_t least = l->to.ns - l->from.ns, most = l->last.ns - l->first.ns;
	struct sums sums = sums_of(l->tid, call);
	double ticks = (double)sums.ticks;

	note("%s: %.1f to %.1f ms, %.1f to %.1f CPU: %g ticks, %g asleep, %g runnable, %u records",
	     who, (double)least / MS, (double)most / MS, (double)(l->to.cpu - l->from.cpu) / MS,
	     (double)(l->last.cpu - l->first.cpu) / MS, ticks, (double)sums.sleep,
	     (double)sums.runnable, sums.records);
	check_between(ticks, l->to.cpu - l->from.cpu, l->last.cpu - l->first.cpu, 2);
	check_between(ticks + (double)(sums.sleep + sums.runnable), least, most, 3);
	return sums;
}

static inline void work_a_bit(void)
{
	hot_a(work_per_ms() / 64);
}

static inline void nap(void)
{
	nanosleep(&(struct timespec) { .tv_nsec = 150000 }, NULL);
	work_a_bit();
}

#endif

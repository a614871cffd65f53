// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The number of samples: at each rate, with user-only, and as a fair share of each task.
 * Tests compare numbers with CPU time only if the guest's clock counts instructions
 * (ICOUNT=1). A guest with several CPUs loses ticks under load.
 */
#include <math.h>

#include "setup.h"

#define SECOND	1000000000.0

struct outcome {
	uint64_t ns;		/* CPU time of the work */
	struct profil_status st;
};

static struct outcome profile_user_time(unsigned int rate, unsigned int flags, unsigned long ms)
{
	static uint32_t buf[1];
	struct profil_region region = everything(buf, sizeof(buf), 4);
	struct profil_histogram request = HISTOGRAM(&region, rate, .flags = flags);
	unsigned long work = ms * work_per_ms();
	struct outcome out;
	uint64_t start;

	buf[0] = 0;
	/* The guest has written its output and finished other work by then. */
	sleep_ms(2000);
	CHECK_EQ(start_histogram(&request), 0);
	start = process_ns();
	hot_a(work);
	out.ns = process_ns() - start;
	out.st = stopped();
	CHECK_EQ(buf[0], out.st.counted);
	CHECK_EQ(out.st.rate, rate);
	note("rate %u: %llu samples in %.4f s", rate,
	     (unsigned long long)out.st.counted, (double)out.ns / SECOND);
	return out;
}

static bool grants(unsigned int rate)
{
	return features().rates & (1U << rate);
}

/* @off: the samples themselves take a part of the time. */
static void check_rate(unsigned int rate, unsigned long ms, double off, double tolerance)
{
	struct outcome out;

	NEEDS_ICOUNT();
	if (!grants(rate))
		SKIP("no fast rate");
	out = profile_user_time(rate, 0, ms);
	CHECK_NEAR(out.ns, (double)ms * 1e6, off * SECOND);
	CHECK_NEAR(out.st.counted, (double)out.ns / (double)features().period_ns[rate], tolerance);
}

CASE(every_tick_gives_200_samples_in_800_ms, check_rate(PROFIL_RATE_TICK, 800, 0.002, 1))
CASE(default_rate_gives_80_samples_in_800_ms, check_rate(PROFIL_RATE_CLOCK, 800, 0.002, 2))
CASE(fast_rate_gives_400_samples_in_400_ms, check_rate(PROFIL_RATE_FAST, 400, 0.005, 2))

struct due {
	double due;
	double counted;
};

/* Busy, for some CPU time of its own. */
static void compete(struct due *out, volatile int *go, unsigned long ms)
{
	unsigned long work = ms * work_per_ms();
	uint32_t buf = 0;
	struct profil_status st;
	uint64_t start;

	while (!*go)
		sched_yield();
	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_CLOCK), 0);
	start = process_ns();
	hot_a(work);
	out->due = (double)(process_ns() - start) / 1e7;
	st = stopped();
	CHECK_EQ(buf, st.counted);
	out->counted = (double)st.counted;
}

#define BLOCK	5	/* ticks, of which 2 are samples, at HZ=250 */

static uint64_t now_in(uint64_t period, uint64_t offset)
{
	return (now_ns() + period - offset % period) % period;
}

/*
 * Takes the ticks of each block until two have been samples, and leaves the rest of
 * the block to others: a choice made for a CPU would leave those no sample.
 * @phase: which tick a block begins with.
 */
static void take_the_samples(uint64_t tick, unsigned int phase)
{
	uint64_t seen, at, block = BLOCK * tick;
	uint32_t count = 0;

	CHECK_EQ(start_region(everything(&count, 4, 4), PROFIL_RATE_CLOCK), 0);
	/* Just before a tick, while nobody else runs; then begin a little after one. */
	do {
		seen = page()->ticks;
		at = now_ns();
		hot_a(1000);
	} while (page()->ticks == seen || now_ns() > at + tick / 8);
	at += 200000 + phase * tick;
	for (;;) {
		sleep_until(at += block);
		seen = page()->ticks;
		while (page()->ticks < seen + 2 && now_ns() < at + block - tick / 2)
			hot_a(1000);
	}
}

TEST(process_that_takes_its_samples_and_leaves_pushes_nobody)
{
	bool all = true;
	uint64_t tick;

	NEEDS_ICOUNT();
	tick = features().period_ns[PROFIL_RATE_TICK];
	work_per_ms();
	for (unsigned int phase = 0; phase < BLOCK; phase++) {
		volatile int go = 1;
		struct due due;
		pid_t pid = FORK();

		if (pid == 0) {
			take_the_samples(tick, phase);
			_exit(0);
		}
		compete(&due, &go, 400);
		end_by_force(pid);
		note("phase %u: %.0f samples, due %.1f", phase, due.counted, due.due);
		/* What it has of the CPU is not all whole ticks. */
		all &= due.counted >= 0.85 * due.due;
	}
	CHECK(all);
}

/* A choice that began anew with each run would give a quarter more. */
TEST(program_that_restarts_at_each_sample_gets_its_due)
{
	unsigned int samples = 0;
	uint64_t start;
	double due;

	NEEDS_ICOUNT();
	start = process_ns();
	while (process_ns() < start + 2000000000) {
		uint32_t count = 0;

		CHECK_EQ(start_region(everything(&count, 4, 4), PROFIL_RATE_CLOCK), 0);
		while (!page()->ticks)
			hot_a(1000);
		samples += stopped().ticks;
	}
	due = (process_ns() - start) / 1e7;
	note("%u samples, due %.1f", samples, due);
	CHECK_NEAR(samples, due, 3);
}

static void run_at_each_ms(void)
{
	uint64_t ms = now_ns() / 1000000;

	CHECK_CALL(prctl(PR_SET_TIMERSLACK, 1));
	for (;;) {
		sleep_until(++ms * 1000000 - 60000);
		while (now_ns() < ms * 1000000 + 60000)
			;
	}
}

TEST(process_at_each_tick_takes_ticks_but_no_fast_samples)
{
	struct outcome ticks, fast;
	pid_t pid;

	NEEDS_ICOUNT();
	if (!grants(PROFIL_RATE_FAST))
		SKIP("no fast rate");
	work_per_ms();
	pid = spawn(run_at_each_ms);
	ticks = profile_user_time(PROFIL_RATE_TICK, 0, 300);
	fast = profile_user_time(PROFIL_RATE_FAST, 0, 300);
	end_by_force(pid);
	/* Where timers serve all rates, there are no ticks to take. */
	if (getenv("IRQTIME"))
		CHECK_NEAR(ticks.st.counted, (double)ticks.ns / 4e6, 2);
	else
		CHECK_LT(ticks.st.counted, ticks.ns / 8000000);
	CHECK_NEAR(fast.st.counted, (double)fast.ns / 1e6, 2);
}

/* hot_b() for a tick, hot_a() for the four after it, and so on: as blocks are. */
TEST(work_in_step_with_the_choice_gets_its_share)
{
	uint32_t n[2];
	struct profil_status st;
	uint64_t tick, start;
	double sigma = sqrt(100 * 0.4 * 0.6);

	NEEDS_ICOUNT();
	tick = features().period_ns[PROFIL_RATE_TICK];
	start = now_ns();
	start_both(n, PROFIL_RATE_CLOCK);
	while (now_ns() < start + 100 * BLOCK * tick) {
		if (now_in(BLOCK * tick, start) < tick)
			hot_b(10000);
		else
			hot_a(10000);
	}
	st = stopped();
	note("%u and %u of %llu samples, sigma %.1f", n[0], n[1], (unsigned long long)st.ticks,
	     sigma);
	/* Some are in what looks at the time. */
	CHECK_NEAR(st.ticks, 200, 4);
	CHECK_GE(n[0] + n[1], most_of(st.ticks));
	CHECK_NEAR(n[1], 0.2 * (n[0] + n[1]), 3 * sigma);
}

/* For a while, and until there were at least some ticks. */
static struct profil_status profile_syscalls(unsigned int flags, uint64_t least, uint32_t *counted)
{
	struct profil_region region = one_counter(counted, 4, 4, text_syscall());
	struct profil_histogram request = HISTOGRAM(&region, PROFIL_RATE_TICK, .flags = flags);
	uint64_t end = process_ns() + 200000000;
	struct profil_status st;

	CHECK_EQ(start_histogram(&request), 0);
	while (process_ns() < end || page()->ticks < least)
		hot_syscall(2);
	st = stopped();
	CHECK_EQ(*counted, st.counted);
	return st;
}

TEST(user_only_neither_counts_nor_sees_system_ticks)
{
	uint32_t all = 0, user = 0;
	struct profil_status every = profile_syscalls(0, 20, &all);
	struct profil_status only = profile_syscalls(PROFIL_USER_ONLY, 0, &user);

	CHECK_EQ(only.flags, PROFIL_USER_ONLY);
	note("%llu ticks, %llu of them user ticks", (unsigned long long)every.ticks,
	     (unsigned long long)only.ticks);
	CHECK_LE(only.ticks, every.ticks / 4);
}

#define RESTRICT	PARAMETERS "restrict_fastprof"

static void restrict_the_fast_rate(void)
{
	uint32_t new = 0;

	start_tally(PROFIL_RATE_TICK);
	CHECK_CALL(write_file(RESTRICT, "1"));
	CHECK_EQ(start_region(everything(&new, 4, 4), PROFIL_RATE_FAST), -EACCES);
	CHECK_EQ(start_samples(&new, 1, 4, PROFIL_RATE_FAST), -EACCES);
	CHECK(!grants(PROFIL_RATE_FAST));
	CHECK_EQ(check_tally(5).rate, PROFIL_RATE_TICK);
	CHECK_EQ(new, 0);
}

TEST(restrict_fastprof_refuses_the_fast_rate)
{
	NEEDS_ROOT();
	if (!grants(PROFIL_RATE_FAST))
		SKIP("no fast rate");
	with_parameter(RESTRICT, "0", restrict_the_fast_rate);
	CHECK(grants(PROFIL_RATE_FAST));
}

/* Booted with highres=off, timers expire once a tick, which is 4 ms at HZ=250. */
TEST(fast_rate_is_granted_where_timers_have_its_resolution)
{
	struct timespec resolution;

	CHECK_CALL(clock_getres(CLOCK_MONOTONIC, &resolution));
	CHECK_EQ(start_region(everything(&tally, 4, 4), PROFIL_RATE_FAST),
		 resolution.tv_nsec > 1000000 ? -EACCES : 0);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How many samples there are: the rates, user-only, and that everyone gets
 * their due. Numbers are held against CPU time only where instructions are
 * the clock (ICOUNT=1); a guest with several CPUs loses ticks under load.
 */
#include <math.h>
#include <sched.h>

#include "harness.h"
#include "device.h"
#include "work.h"

#define SECOND	1000000000.0

struct outcome {
	uint64_t ns;		/* CPU time of the work */
	struct profil_status st;
};

/*
 * Lets the guest get rid of its output and whatever else it has to do: a hook
 * of the test before, not used for a second, is removed in ten milliseconds.
 */
static void settle(void)
{
	struct timespec some = { .tv_sec = 2 };

	nanosleep(&some, NULL);
}

static struct outcome profile_user_time(unsigned int rate, unsigned int flags,
					unsigned long ms)
{
	static uint32_t buf[1];
	struct profil_region region = everything(buf, sizeof(buf), 4);
	struct profil_histogram request = {
		.regions = (uintptr_t)&region,
		.nregions = 1,
		.region_size = sizeof(region),
		.rate = rate,
		.flags = flags,
	};
	unsigned long work = ms * work_per_ms();
	struct outcome out;
	uint64_t start;

	buf[0] = 0;
	settle();
	CHECK_EQ(start_histogram(&request), 0);
	start = process_ns();
	hot_a(work);
	out.ns = process_ns() - start;
	CHECK_EQ(stop(&out.st), 0);
	CHECK_NOTHING_LOST(&out.st);
	CHECK_EQ(buf[0], out.st.counted);
	CHECK_EQ(out.st.rate, rate);
	note("rate %u: %llu samples in %.4f s", rate,
	     (unsigned long long)out.st.counted, (double)out.ns / SECOND);
	return out;
}

static bool grants(unsigned int rate)
{
	struct profil_features features;

	CHECK_EQ(get_features(&features), 0);
	return features.rates & (1U << rate);
}

TEST(every_tick_gives_600_samples_in_2400_ms_of_user_time)
{
	struct outcome out;

	NEEDS_ICOUNT();
	out = profile_user_time(PROFIL_RATE_TICK, 0, 2400);
	CHECK_NEAR(out.ns, 2.4 * SECOND, 0.002 * SECOND);
	CHECK_NEAR(out.st.counted, 600, 1);
}

TEST(default_rate_gives_240_samples_in_2400_ms_of_user_time)
{
	struct outcome out;

	NEEDS_ICOUNT();
	out = profile_user_time(PROFIL_RATE_CLOCK, 0, 2400);
	CHECK_NEAR(out.ns, 2.4 * SECOND, 0.002 * SECOND);
	CHECK_NEAR(out.st.counted, 240, 2);
}

TEST(fast_rate_gives_1000_samples_in_a_second_of_user_time)
{
	struct outcome out;

	NEEDS_ICOUNT();
	if (!grants(PROFIL_RATE_FAST))
		SKIP("no fast rate");
	out = profile_user_time(PROFIL_RATE_FAST, 0, 1000);
	/* The samples themselves take a part of the time. */
	CHECK_NEAR(out.ns, SECOND, 0.005 * SECOND);
	CHECK_NEAR(out.st.counted, (double)out.ns / 1e6, 2);
}

TEST(fast_rate_at_random_distances_keeps_its_mean)
{
	struct outcome out;

	NEEDS_ICOUNT();
	if (!grants(PROFIL_RATE_FAST))
		SKIP("no fast rate");
	out = profile_user_time(PROFIL_RATE_FAST, PROFIL_RANDOM, 700);
	CHECK_EQ(out.st.flags, PROFIL_RANDOM);
	/* Exponential distances: 4 sigma, once in 15,000. */
	CHECK_NEAR(out.st.counted, 700, 4 * sqrt(700));
}

TEST(period_reported_is_the_period_that_runs)
{
	struct profil_features features;

	CHECK_EQ(get_features(&features), 0);
	CHECK_EQ(features.rates & 3, 3);
	for (unsigned int rate = 0; rate < 3; rate++) {
		uint32_t buf = 0;
		struct profil_status st;

		if (!grants(rate))
			continue;
		CHECK_EQ(start_region(everything(&buf, 4, 4), rate), 0);
		CHECK_EQ(page()->rate, rate);
		CHECK_EQ(page()->period_ns, features.period_ns[rate]);
		CHECK_EQ(stop(&st), 0);
		CHECK_EQ(st.rate, rate);
		CHECK_EQ(st.period_ns, features.period_ns[rate]);
	}
	CHECK_EQ(features.period_ns[PROFIL_RATE_CLOCK], 1000000000 / sysconf(_SC_CLK_TCK));
}

/* A small generator: the same slices in every run. */
static uint32_t next_random(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

static double sigma_of_split(double n, double p)
{
	return sqrt(n * p * (1 - p));
}

/* Alternates three parts of a with one of b, a few ticks of each at a time. */
static void split_work(uint64_t ticks)
{
	uint64_t end = page()->ticks + ticks;

	while (page()->ticks < end) {
		unsigned long n = 500000 + next_random() % 2000000;

		hot_a(3 * n);
		hot_b(n);
	}
}

static void check_split(unsigned int rate, uint64_t ticks)
{
	uint32_t a = 0, b = 0;
	struct profil_region regions[2] = {
		one_counter(&a, 4, 4, text_a()),
		one_counter(&b, 4, 4, text_b()),
	};
	struct profil_status st;

	CHECK_EQ(start_regions(regions, 2, rate), 0);
	split_work(ticks);
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	note("rate %u: %u and %u of %llu ticks", rate, a, b, (unsigned long long)st.ticks);
	CHECK_EQ(a + b, st.counted);
	CHECK_GE(st.counted, most_of(ticks));
	CHECK_NEAR(a, 0.75 * (a + b), 3 * sigma_of_split(a + b, 0.75));
}

TEST(split_of_work_3_to_1_shows_within_3_sigma)
{
	check_split(PROFIL_RATE_TICK, 300);
}

struct due {
	double due;
	double counted;
};

/* One of several busy processes on one CPU, for some CPU time of its own. */
static void compete(struct due *out, volatile int *go, unsigned long ms)
{
	unsigned long work = ms * work_per_ms();
	uint32_t buf = 0;
	struct profil_status st;
	uint64_t start;

	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_CLOCK), 0);
	while (!*go)
		sched_yield();
	start = process_ns();
	CHECK_EQ(get_status(&st), 0);
	out->counted = -(double)st.counted;
	hot_a(work);
	out->due = (double)(process_ns() - start) / 1e7;
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf, st.counted);
	out->counted += (double)st.counted;
}

static bool each_got_its_due(unsigned int n, unsigned long ms)
{
	struct shared {
		volatile int go;
		struct due due[8];
	} *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool all = true;
	pid_t pid[8];

	CHECK(shared != MAP_FAILED);
	work_per_ms();
	settle();
	for (unsigned int i = 0; i < n; i++) {
		pid[i] = FORK();
		if (pid[i] == 0) {
			compete(&shared->due[i], &shared->go, ms);
			_exit(0);
		}
	}
	shared->go = 1;
	for (unsigned int i = 0; i < n; i++)
		wait_ok(pid[i]);
	for (unsigned int i = 0; i < n; i++) {
		const struct due *d = &shared->due[i];
		/* Of due/0.4 ticks, each is let through with probability 0.4. */
		double sigma = sigma_of_split(d->due / 0.4, 0.4);

		note("process %u: %.0f samples, due %.1f, sigma %.1f", i,
		     d->counted, d->due, sigma);
		if (fabs(d->counted - d->due) > 3 * sigma)
			all = false;
	}
	munmap(shared, sizeof(*shared));
	return all;
}

TEST(five_busy_processes_on_one_cpu_each_get_their_due_within_3_sigma)
{
	NEEDS_ICOUNT();
	/*
	 * One of five good draws is beyond 3 sigma once in 70 runs, two in a
	 * row once in 5,000. What favours a process does so every time.
	 */
	if (each_got_its_due(5, 600))
		return;
	note("once more");
	CHECK(each_got_its_due(5, 600));
}

static void some_syscalls(void)
{
	hot_syscall(2);
}

/* For a while, and until there were at least some ticks. */
static struct profil_status profile_syscalls(unsigned int flags, uint64_t least,
					     uint32_t *counted)
{
	struct profil_region region = one_counter(counted, 4, 4, text_syscall());
	struct profil_histogram request = {
		.regions = (uintptr_t)&region,
		.nregions = 1,
		.region_size = sizeof(region),
		.rate = PROFIL_RATE_TICK,
		.flags = flags,
	};
	uint64_t end = process_ns() + 200000000;
	struct profil_status st;

	CHECK_EQ(start_histogram(&request), 0);
	while (process_ns() < end || page()->ticks < least)
		some_syscalls();
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(*counted, st.counted);
	return st;
}

TEST(system_ticks_are_charged_to_the_pc_the_thread_returns_to)
{
	uint32_t buf = 0;
	struct profil_status st = profile_syscalls(0, 20, &buf);

	CHECK_GE(st.counted, most_of(st.ticks));
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

TEST(user_only_counts_user_ticks_as_without_it)
{
	uint32_t buf = 0;
	struct profil_region region = one_counter(&buf, 4, 4, text_a());
	struct profil_histogram request = {
		.regions = (uintptr_t)&region,
		.nregions = 1,
		.region_size = sizeof(region),
		.rate = PROFIL_RATE_TICK,
		.flags = PROFIL_USER_ONLY,
	};
	struct profil_status st;

	CHECK_EQ(start_histogram(&request), 0);
	CHECK(work_for_ticks(40));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_GE(buf, most_of(40));
	CHECK_EQ(buf, st.counted);
}

#define RESTRICT	"/sys/module/profil/parameters/restrict_fastprof"

TEST(restrict_fastprof_refuses_the_fast_rate_and_leaves_the_running_profile)
{
	struct profil_features features;
	uint32_t old = 0, new = 0;
	int histogram, array, asked;
	struct profil_status st;

	NEEDS_ROOT();
	if (!grants(PROFIL_RATE_FAST))
		SKIP("no fast rate");
	CHECK_EQ(start_region(everything(&old, 4, 4), PROFIL_RATE_TICK), 0);
	CHECK_CALL(write_file(RESTRICT, "1"));
	histogram = start_region(everything(&new, 4, 4), PROFIL_RATE_FAST);
	array = start_samples(&new, 1, 4, PROFIL_RATE_FAST);
	asked = get_features(&features);
	/* Before any check: no other test is to run with it. */
	CHECK_CALL(write_file(RESTRICT, "0"));
	CHECK_EQ(histogram, -EACCES);
	CHECK_EQ(array, -EACCES);
	CHECK_EQ(asked, 0);
	CHECK_EQ(features.rates & (1U << PROFIL_RATE_FAST), 0);
	CHECK(work_for_ticks(5));
	CHECK_EQ(stop(&st), 0);
	CHECK_EQ(st.rate, PROFIL_RATE_TICK);
	CHECK_GE(old, 5);
	CHECK_EQ(new, 0);
	CHECK(grants(PROFIL_RATE_FAST));
}

/* Booted with highres=off, timers expire once a tick, which is 4 ms at HZ=250. */
TEST(fast_rate_is_granted_where_timers_have_its_resolution)
{
	static uint32_t buf;
	struct timespec resolution;

	CHECK_CALL(clock_getres(CLOCK_MONOTONIC, &resolution));
	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_FAST),
		 resolution.tv_nsec > 1000000 ? -EACCES : 0);
}

TEST(sleeping_process_gets_no_ticks)
{
	struct timespec half = { .tv_nsec = 500000000 };
	uint32_t buf = 0;
	struct profil_status before, after;
	uint64_t cpu;

	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK), 0);
	cpu = process_ns();
	CHECK_EQ(get_status(&before), 0);
	nanosleep(&half, NULL);
	CHECK_EQ(get_status(&after), 0);
	cpu = process_ns() - cpu;
	/* A slow kernel takes some for the calls. */
	CHECK_LE(after.ticks - before.ticks, 3 + cpu / before.period_ns);
	/* The CPU's tick was off meanwhile; now it comes again. */
	CHECK(work_for_ticks(20));
}

TEST(ticks_of_another_process_are_not_charged)
{
	uint32_t buf = 0;
	struct profil_status before, after;
	pid_t pid;

	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK), 0);
	pid = FORK();
	if (pid == 0) {
		CHECK(work_for_ticks(60));
		_exit(0);
	}
	CHECK_EQ(get_status(&before), 0);
	wait_ok(pid);
	CHECK_EQ(get_status(&after), 0);
	CHECK_LE(after.ticks - before.ticks, 6);
}

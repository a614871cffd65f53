// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * CPUs that go and come, and processes that move between them.
 */
#include <pthread.h>
#include <sched.h>

#include "harness.h"
#include "machine.h"
#include "device.h"
#include "work.h"

static uint32_t buf;

static void start(unsigned int rate)
{
	buf = 0;
	CHECK_EQ(start_region(everything(&buf, 4, 4), rate), 0);
}

static struct profil_status check_counted(uint64_t least)
{
	struct profil_status st;

	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf, st.counted);
	CHECK_GE(st.counted, least);
	return st;
}

static bool run_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

static void set_online(unsigned int cpu, const char *online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	if (access(path, W_OK) != 0)
		SKIP("no CPU hotplug");
	CHECK_CALL(write_file(path, online));
}

TEST(process_that_moves_from_cpu_to_cpu_loses_nothing)
{
	NEEDS_CPUS(2);
	start(PROFIL_RATE_TICK);
	for (unsigned int i = 0; i < 40; i++) {
		CHECK(run_on(i % cpus()));
		CHECK(work_for_ticks(1));
	}
	check_counted(40);
}

TEST(cpu_that_goes_and_comes_while_its_thread_is_profiled_loses_nothing)
{
	unsigned int last = cpus() - 1;

	NEEDS_CPUS(2);
	NEEDS_ROOT();
	CHECK(run_on(last));
	start(PROFIL_RATE_TICK);
	CHECK(work_for_ticks(10));
	set_online(last, "0");
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	CHECK(work_for_ticks(10));
	set_online(last, "1");
	CHECK(run_on(last));
	CHECK(work_for_ticks(10));
	check_counted(30);
}

TEST(cpu_that_goes_and_comes_under_the_fast_rate_loses_nothing)
{
	struct profil_features features;
	unsigned int last = cpus() - 1;

	NEEDS_CPUS(2);
	NEEDS_ROOT();
	CHECK_EQ(get_features(&features), 0);
	if (!(features.rates & (1U << PROFIL_RATE_FAST)))
		SKIP("no fast rate");
	CHECK(run_on(last));
	start(PROFIL_RATE_FAST);
	CHECK(work_for_ticks(40));
	set_online(last, "0");
	CHECK(work_for_ticks(40));
	set_online(last, "1");
	CHECK(run_on(last));
	CHECK(work_for_ticks(40));
	check_counted(120);
}

TEST(cpu_that_comes_while_a_profile_runs_is_sampled)
{
	unsigned int last = cpus() - 1;

	NEEDS_CPUS(2);
	NEEDS_ROOT();
	set_online(last, "0");
	start(PROFIL_RATE_TICK);
	CHECK(work_for_ticks(3));
	set_online(last, "1");
	CHECK(run_on(last));
	CHECK(work_for_ticks(20));
	check_counted(23);
}

TEST(cpu_taken_away_from_under_eight_busy_threads_loses_nothing)
{
	unsigned int last = cpus() - 1;

	NEEDS_CPUS(2);
	NEEDS_ROOT();
	start_workers(8);
	start(PROFIL_RATE_TICK);
	for (int i = 0; i < 2; i++) {
		set_online(last, "0");
		CHECK(work_for_ticks(20));
		set_online(last, "1");
		CHECK(work_for_ticks(20));
	}
	check_counted(80);
	end_workers();
}

/* --- while timers stand in for the tick's hook ------------------------------------- */

/* Of the one who starts, in hot_a(), and of a thread on the last CPU, in hot_b(). */
static uint32_t counts[2];

/* What that thread is to do, and does: nothing, or to come to the CPU and stay there. */
static volatile enum { REST, STAY } wanted, done;

/*
 * As root, so that nothing else takes the CPU: no switch helps to find it. But where
 * a thread of this priority is what runs the CPU's kernel timers, all of the kernel
 * would wait for those.
 */
static void stay(bool alone)
{
	struct sched_param priority = { .sched_priority = alone };

	if (!kernel_is_realtime())
		CHECK_CALL(sched_setscheduler(0, alone ? SCHED_FIFO : SCHED_OTHER, &priority));
}

static void *come_and_stay(void *arg)
{
	unsigned int cpu = *(unsigned int *)arg;

	for (;;) {
		while (wanted == REST)
			sleep_ms(1);
		CHECK(run_on(cpu));
		stay(true);
		done = STAY;
		while (wanted == STAY)
			hot_b(10000);
		stay(false);
		done = REST;
	}
	return NULL;
}

static void have_it_do(int what)
{
	wanted = what;
	while (done != wanted)
		sleep_ms(1);
}

static void start_both(void)
{
	struct profil_region regions[2] = {
		one_counter(&counts[0], 4, 4, text_a()),
		one_counter(&counts[1], 4, 4, text_b()),
	};

	counts[0] = counts[1] = 0;
	CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
}

static void work_ms(unsigned int ms)
{
	uint64_t end = now_ns() + ms * 1000000ULL;

	while (now_ns() < end)
		hot_a(10000);
}

/* The CPU comes back, and a thread of a process that is started then has been there. */
static void check_cpu_that_came_is_seen(unsigned int cpu, uint64_t *here, uint64_t *there)
{
	struct profil_status st;

	have_it_do(REST);
	start_both();
	set_online(cpu, "0");
	work_ms(50);
	set_online(cpu, "1");
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	have_it_do(STAY);
	/* Its timer has been left behind. */
	work_ms(50);
	start_both();
	work_ms(300);
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	*here += counts[0];
	*there += counts[1];
}

TEST(thread_that_never_sleeps_is_sampled_by_timers_on_a_cpu_that_went_and_came)
{
	unsigned int last = cpus() - 1;
	uint64_t here = 0, there = 0;
	pthread_t thread;

	NEEDS_CPUS(2);
	NEEDS_ROOT();
	CHECK(run_on(0));
	CHECK_CALL(set_hooks("0"));
	CHECK_EQ(pthread_create(&thread, NULL, come_and_stay, &last), 0);
	for (int i = 0; i < 8; i++)
		check_cpu_that_came_is_seen(last, &here, &there);
	have_it_do(REST);
	CHECK_CALL(set_hooks("1"));
	note("%llu samples of the thread that started, %llu of the one that came",
	     (unsigned long long)here, (unsigned long long)there);
	/* On a busy machine, one CPU may have much less than the other. */
	CHECK_GE(there * 20, here);
}

/* Started anew each time, so that threads are noted for CPUs that go. */
TEST(cpus_that_go_and_come_under_sixty_four_threads_and_timers_lose_nothing)
{
	struct profil_status st;

	NEEDS_CPUS(4);
	NEEDS_ROOT();
	CHECK_CALL(set_hooks("0"));
	start_workers(MOST_WORKERS);
	for (unsigned int i = 0; i < 12; i++) {
		start(i % 2 ? PROFIL_RATE_TICK : PROFIL_RATE_CLOCK);
		set_online(1 + i / 2 % 3, i % 2 ? "1" : "0");
		CHECK(work_for_ticks(10));
		CHECK_EQ(stop(&st), 0);
		CHECK_NOTHING_LOST(&st);
		CHECK_EQ(buf, st.counted);
	}
	end_workers();
	CHECK_CALL(set_hooks("1"));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * CPUs that go and come, and processes that move between them.
 */
#include <sched.h>

#include "harness.h"
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

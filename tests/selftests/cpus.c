// SPDX-License-Identifier: LGPL-2.1-or-later
/* CPUs go offline and come back. */
#include "hook.h"

static void set_online(unsigned int cpu, const char *online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	if (access(path, W_OK) != 0)
		SKIP("no CPU hotplug");
	CHECK_CALL(write_file(path, online));
}

TEST(cpu_that_goes_and_comes_under_a_thread_loses_nothing)
{
	unsigned int last = cpus() - 1;

	NEEDS_CPUS(2);
	NEEDS_ROOT();
	CHECK_CALL(pin(last));
	start_tally(PROFIL_RATE_TICK);
	CHECK(work_for_ticks(10));
	set_online(last, "0");
	CHECK(work_for_ticks(10));
	set_online(last, "1");
	CHECK_CALL(pin(last));
	CHECK_GE(check_tally(10).counted, 30);
}

/* Of the one who starts, in hot_a(), and of a thread on the last CPU, in hot_b(). */
static uint32_t counts[2];

/* What that thread is to do, and does: nothing, or to come to the CPU and stay there. */
static volatile enum { REST, STAY } wanted, done;

static void *come_and_stay(void *arg)
{
	unsigned int cpu = *(unsigned int *)arg;

	for (;;) {
		while (wanted == REST)
			sleep_ms(1);
		CHECK_CALL(pin(cpu));
		have_the_cpu(true);
		done = STAY;
		while (wanted == STAY)
			hot_b(10000);
		have_the_cpu(false);
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

/* The CPU comes back, and a thread of a process that is started then has been there. */
static void check_cpu_that_came_is_seen(unsigned int cpu, uint64_t *here, uint64_t *there)
{
	have_it_do(REST);
	start_both(counts, PROFIL_RATE_TICK);
	set_online(cpu, "0");
	work_ms(50);
	set_online(cpu, "1");
	stopped();
	have_it_do(STAY);
	/* Its timer has been left behind. */
	work_ms(50);
	start_both(counts, PROFIL_RATE_TICK);
	work_ms(300);
	stopped();
	*here += counts[0];
	*there += counts[1];
}

TEST(timers_sample_a_thread_on_a_cpu_that_went_and_came)
{
	unsigned int last = cpus() - 1;
	uint64_t here = 0, there = 0;

	NEEDS_CPUS(2);
	NEEDS_ROOT();
	have_timers_serve();
	CHECK_CALL(pin(0));
	start_thread(come_and_stay, &last);
	for (int i = 0; i < 8; i++)
		check_cpu_that_came_is_seen(last, &here, &there);
	have_it_do(REST);
	have_the_hook_serve();
	note("%llu samples of the thread that started, %llu of the one that came",
	     (unsigned long long)here, (unsigned long long)there);
	/* On a busy machine, one CPU may have much less than the other. */
	CHECK_GE(there * 20, here);
}

/* Started anew each time, so that threads are noted for CPUs that go. */
TEST(cpus_that_go_and_come_under_64_threads_lose_nothing)
{
	NEEDS_CPUS(4);
	NEEDS_ROOT();
	have_timers_serve();
	start_workers(MOST_WORKERS);
	for (unsigned int i = 0; i < 12; i++) {
		start_tally(i % 2 ? PROFIL_RATE_TICK : PROFIL_RATE_CLOCK);
		set_online(1 + i / 2 % 3, i % 2 ? "1" : "0");
		check_tally(10);
	}
	end_workers();
	have_the_hook_serve();
}

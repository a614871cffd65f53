// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The clocks behind the rates. The fast timer runs only where a task needs it. CPUs
 * without a tick get samples, too. Timers take the place of ftrace while that is off.
 */
#include "own_profiles.h"
#include "hook.h"

#define MS	1000000ULL

/* hot_a() on one CPU, for ever. */
static pid_t busy_on(unsigned int cpu)
{
	pid_t pid = FORK();

	if (pid == 0) {
		CHECK_CALL(pin(cpu));
		for (;;)
			hot_a(100000);
	}
	return pid;
}

/*
 * Timer interrupts in one second on the busier of the idle CPUs 2 and 3. Returns the
 * least of this many seconds, or the first that is at most @enough. A clock adds
 * interrupts in each second; other work does not.
 */
static uint64_t idle_timer_interrupts(int seconds, uint64_t enough)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < seconds && least > enough; i++) {
		uint64_t two = timer_interrupts(2), three = timer_interrupts(3);

		sleep_until(now_ns() + 1000 * MS);
		two = timer_interrupts(2) - two;
		three = timer_interrupts(3) - three;
		if (two < three)
			two = three;
		if (two < least)
			least = two;
	}
	return least;
}

/* What an idle CPU takes while CPU 1 is busy, from a process that fork() copies. */
static uint64_t beside_a_busy_cpu(int seconds, uint64_t enough)
{
	pid_t pid = busy_on(1);
	struct profil_status st;
	uint64_t least;

	/* It is the busy one alone that may be profiled. */
	CHECK_EQ(stop(&st), 0);
	least = idle_timer_interrupts(seconds, enough);
	end_by_force(pid);
	return least;
}

TEST(fast_profile_on_one_cpu_leaves_idle_cpus_alone)
{
	uint64_t without = 0, with = UINT64_MAX;

	NEEDS_CPUS(4);
	CHECK_CALL(pin(0));
	/* Some other business of the kernel's moves between CPUs meanwhile. */
	for (int i = 0; i < 3 && with > without + 5; i++) {
		without = beside_a_busy_cpu(5, 0);
		start_tally(PROFIL_RATE_FAST);
		with = beside_a_busy_cpu(10, without + 5);
		note("an idle CPU takes %llu timer interrupts a second, %llu without the profile",
		     (unsigned long long)with, (unsigned long long)without);
	}
	CHECK_LE(with, without + 5);
}

/* Samples per second of CPU time, of a process pinned to a CPU. */
struct pinned {
	volatile int ready;
	uint64_t ns;
	struct profil_status st;
};

static pid_t pinned_profile(struct pinned *out, volatile int *go,
			    unsigned int cpu, unsigned int rate, unsigned long work)
{
	pid_t pid = FORK();

	if (pid)
		return pid;
	CHECK_CALL(pin(cpu));
	start_tally(rate);
	out->ready = 1;
	while (!*go)
		sched_yield();
	start_tally(rate);
	out->ns = process_ns();
	hot_a(work);
	out->ns = process_ns() - out->ns;
	out->st = stopped();
	_exit(0);
}

static bool in_cpu_list(const char *path, unsigned int cpu)
{
	char text[256], *at = text;

	if (read_file(path, text, sizeof(text)) < 0)
		return false;
	while (*at >= '0' && *at <= '9') {
		unsigned long first = strtoul(at, &at, 10), last = first;

		if (*at == '-')
			last = strtoul(at + 1, &at, 10);
		if (cpu >= first && cpu <= last)
			return true;
		at += *at == ',';
	}
	return false;
}

/* One tickless CPU against one with a tick, at the same time. */
static double tickless_share(unsigned int rate, unsigned long ms)
{
	struct shared {
		volatile int go;
		struct pinned on[2];
	} *shared = shared_memory(sizeof(*shared));
	unsigned long work = ms * work_per_ms();
	double per_second[2];
	pid_t pid[2];

	for (unsigned int i = 0; i < 2; i++)
		pid[i] = pinned_profile(&shared->on[i], &shared->go, i, rate, work);
	while (!shared->on[0].ready || !shared->on[1].ready)
		sleep_until(now_ns() + MS);
	shared->go = 1;
	for (unsigned int i = 0; i < 2; i++) {
		wait_ok(pid[i]);
		per_second[i] = (double)shared->on[i].st.counted * 1e9 /
				(double)shared->on[i].ns;
	}
	note("rate %u: %.1f samples per second of CPU time without a tick, %.1f with",
	     rate, per_second[1], per_second[0]);
	munmap(shared, sizeof(*shared));
	return per_second[1] / per_second[0];
}

/*
 * The best of some tries, or the first that is good enough: a host that starves
 * one emulated CPU takes its timers, a clock that loses samples loses them always.
 */
static unsigned int most_tickless_percent(unsigned int rate)
{
	unsigned int percent, most = 0;

	for (int i = 0; i < 6 && most < 95; i++) {
		percent = (unsigned int)(100 * tickless_share(rate, 1000));
		if (percent > most)
			most = percent;
	}
	return most;
}

static void needs_cpu_1_without_a_tick(void)
{
	NEEDS_CPUS(2);
	if (!in_cpu_list("/sys/devices/system/cpu/nohz_full", 1))
		SKIP("needs nohz_full=1");
}

TEST(cpus_without_a_tick_get_95_percent_of_the_samples_at_least)
{
	needs_cpu_1_without_a_tick();
	CHECK_GE(most_tickless_percent(PROFIL_RATE_CLOCK), 95);
	CHECK_GE(most_tickless_percent(PROFIL_RATE_TICK), 95);
	CHECK_GE(most_tickless_percent(PROFIL_RATE_FAST), 95);
}

static uint32_t own_ticks[1000];

/* At the fast rate, for @n ticks. */
static page_t *own_array(uint64_t n)
{
	struct profil_samples request = SAMPLES(own_ticks, n, 4, PROFIL_RATE_FAST,
						.flags = PROFIL_THREAD);
	page_t *own;
	uint64_t last = now_ns() + 10000 * MS;

	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), 0);
	own = page_at(request.page);
	while (own->ticks < 10 && now_ns() < last)
		hot_a(10000);
	CHECK_GE(own->ticks, 10);
	return own;
}

static void stop_own(page_t *own)
{
	(void)own;
	thread_stop(NULL);
}

static page_t *volatile stop_by_page;

static void *stop_from_cpu_0(void *unused)
{
	CHECK_CALL(pin(0));
	for (;;) {
		while (!stop_by_page)
			sleep_until(now_ns() + MS);
		thread_stop(stop_by_page);
		stop_by_page = NULL;
	}
	return unused;
}

static void have_it_stopped(page_t *own)
{
	stop_by_page = own;
	while (stop_by_page)
		hot_a(10000);
}

/*
 * Percent of the ticks that a second of work should give the process's profile,
 * once the thread's own, for @n samples, is ended. None come if nobody sees to it,
 * a starved emulator takes some.
 */
#define HALF	50

static unsigned int percent_after(uint64_t n, void (*end_own)(page_t *own))
{
	unsigned int percent, most = 0;
	uint64_t ticks, ns;

	for (int i = 0; i < 6 && most < HALF; i++) {
		end_own(own_array(n));
		ticks = page()->ticks;
		ns = thread_ns();
		hot_a(1000 * work_per_ms());
		ns = thread_ns() - ns;
		percent = (unsigned int)((page()->ticks - ticks) * page()->period_ns * 100 / ns);
		if (percent > most)
			most = percent;
	}
	note("%u%% of the ticks", most);
	return most;
}

TEST(thread_without_a_tick_counts_for_its_process_again_at_once)
{
	needs_cpu_1_without_a_tick();
	CHECK_CALL(pin(1));
	start_tally(PROFIL_RATE_TICK);
	CHECK_GE(percent_after(1000, stop_own), HALF);
	/* It has ended by itself before. */
	CHECK_GE(percent_after(10, stop_own), HALF);
	CHECK_GE(percent_after(1000, unmap), HALF);
	start_thread(stop_from_cpu_0, NULL);
	CHECK_GE(percent_after(10, have_it_stopped), HALF);
}

/*
 * Ticks in 400 ms of the process's own time; where CPUs are emulated by the
 * wall clock, a busy machine takes most of them away, and it is until there are
 * 20.
 */
static uint64_t ticks_in_400_ms(void)
{
	uint64_t ticks = page()->ticks, end = process_ns() + 400 * MS;

	while (process_ns() < end || (!icount() && page()->ticks < ticks + 20))
		hot_a(10000);
	return page()->ticks - ticks;
}

static uint64_t ticks_of(unsigned int rate)
{
	uint64_t ticks;

	start_tally(rate);
	ticks = ticks_in_400_ms();
	CHECK_EQ(stopped().counted, tally.n);
	return ticks;
}

TEST(timers_serve_where_ftrace_is_off_when_the_module_comes)
{
	unsigned int lines;
	uint64_t hook[3], timers[3];

	need_tracing();
	if (!hooked())
		SKIP("ftrace is not what hooks the tick");
	lines = log_lines("using timers");
	have_the_hook_serve();
	for (unsigned int rate = 0; rate < 3; rate++)
		hook[rate] = ticks_of(rate);
	unmap_page();
	have_timers_serve();
	CHECK(!hooked());
	for (unsigned int rate = 0; rate < 3; rate++)
		timers[rate] = ticks_of(rate);
	have_the_hook_serve();
	CHECK(hooked());
	CHECK_EQ(log_lines("using timers"), lines + 1);
	for (unsigned int rate = 0; rate < 3; rate++) {
		note("rate %u: %llu ticks by the hook, %llu by timers", rate,
		     (unsigned long long)hook[rate], (unsigned long long)timers[rate]);
		/* Where instructions are the clock, numbers can be compared. */
		if (icount())
			CHECK_NEAR(timers[rate], hook[rate], 0.05 * (double)hook[rate] + 2);
	}
}

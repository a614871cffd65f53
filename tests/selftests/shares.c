// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * At the 1 ms rate, a thread gets a sample for each millisecond of its CPU time, whatever
 * it does. The clock is the scheduler's own, so this holds on busy machines, too.
 */
#include <math.h>
#include <poll.h>
#include <sys/timerfd.h>

#include "hook.h"

#define MS	1000000.0

static uint32_t count;
static uint64_t process_start;

static void start_counter(uint32_t *counter)
{
	work_per_ms();
	process_start = process_ns();
	CHECK_EQ(start_region(everything(counter, sizeof(*counter), 4), PROFIL_RATE_FAST), 0);
}

static void start_fast(void)
{
	count = 0;
	start_counter(&count);
}

/* @least of CPU time is sampled. The start and the stop are on top, and seldom take long. */
static void check_near(double samples, double least, double most, double tolerance)
{
	if (icount())
		most = least;
	note("%.0f samples in %.2f to %.2f ms", samples, least / MS, most / MS);
	CHECK(samples >= least / MS - tolerance && samples <= most / MS + tolerance);
}

/* Stops, and compares the samples with what is due. */
static void check_share(double ns, double tolerance)
{
	CHECK_EQ(stopped().counted, count);
	check_near(count, ns, (double)(process_ns() - process_start), tolerance);
}

/* 64 pieces of a millisecond of CPU time, or a little less, with something in between. */
static void work_ms_and(unsigned int ms, void (*between)(void))
{
	uint64_t end = thread_ns() + (uint64_t)(ms * MS);

	while (thread_ns() < end) {
		hot_a(work_per_ms() / 64);
		between();
	}
}

/* One thread, which starts and stops within a block of 1 ms each. */
static void check_between(void (*between)(void))
{
	uint64_t ns;

	start_fast();
	ns = thread_ns();
	work_ms_and(100, between);
	check_share((double)(thread_ns() - ns), 2);
}

static const struct timespec nap = { .tv_nsec = 150000 };

static void sleep_shortly(void)
{
	nanosleep(&nap, NULL);
}

static void poll_shortly(void)
{
	ppoll(NULL, 0, &nap, NULL);
}

static void wait_for_timer(void)
{
	const struct itimerspec once = { .it_value = nap };
	static int fd = -1;
	uint64_t n;

	if (fd < 0)
		fd = timerfd_create(CLOCK_MONOTONIC, 0);
	CHECK_CALL(timerfd_settime(fd, 0, &once, NULL));
	CHECK_EQ(read(fd, &n, sizeof(n)), sizeof(n));
}

static void yield(void)
{
	sched_yield();
}

static void wait_for_the_tick(void)
{
	sleep_until((uint64_t)((now_ns() / (uint64_t)(4 * MS) + 1) * 4 * MS));
}

static void nothing(void) { }

CASE(thread_that_sleeps_for_150_us_gets_its_due, check_between(sleep_shortly))
CASE(thread_that_polls_for_150_us_gets_its_due, check_between(poll_shortly))
CASE(thread_that_waits_for_timers_gets_its_due, check_between(wait_for_timer))
CASE(thread_that_yields_gets_its_due, check_between(yield))
CASE(thread_in_step_with_the_clock_gets_its_due, check_between(wait_for_the_tick))
CASE(thread_that_only_works_gets_its_due, check_between(nothing))

/* Something else takes the CPU from it, at a higher priority. */
static void rob(void)
{
	have_the_cpu(true);
	for (;;) {
		hot_b(work_per_ms() / 8);
		nanosleep(&nap, NULL);
	}
}

TEST(thread_that_is_preempted_gets_its_due)
{
	pid_t pid;

	CHECK_CALL(pin(0));
	work_per_ms();
	pid = spawn(rob);
	check_between(nothing);
	end_by_force(pid);
}

/* It often has to leave the CPU in a system call, which goes on for a while. */
TEST(user_mode_gets_its_due_in_a_thread_that_is_preempted)
{
	struct profil_region region = everything(&count, sizeof(count), 4);
	struct profil_histogram request =
		HISTOGRAM(&region, PROFIL_RATE_FAST, .flags = PROFIL_USER_ONLY);
	struct pollfd polled[1024] = {};
	uint64_t all, ns = 0, from;
	pid_t pid;

	CHECK_CALL(pin(0));
	work_per_ms();
	pid = spawn(rob);
	CHECK_EQ(start_histogram(&request), 0);
	all = thread_ns();
	while (ns < 600 * MS) {
		from = thread_ns();
		hot_a(work_per_ms() / 16);
		ns += thread_ns() - from;
		CHECK_CALL(poll(polled, 1024, 0));
	}
	all = thread_ns() - all;
	check_near(stopped().counted, icount() ? ns : 0, all, 4 * sqrt(all / MS / 4));
	end_by_force(pid);
}

TEST(thread_in_a_storm_of_interrupts_gets_its_due)
{
	const struct itimerspec often = { { .tv_nsec = 20000 }, { .tv_nsec = 20000 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	CHECK_CALL(pin(0));
	CHECK_CALL(timerfd_settime(fd, 0, &often, NULL));
	check_between(nothing);
	CHECK_CALL(close(fd));
}

#define THREADS	8

/* Ends a thread: what is due then is lost, and emulated timers are late by milliseconds. */
static void add_and_switch(uint64_t *cpu_time)
{
	__atomic_fetch_add(cpu_time, thread_ns(), __ATOMIC_RELAXED);
	if (!icount())
		sleep_shortly();
}

static int ring[THREADS][2];
static volatile bool ring_ends;

/* Waits for the one before it in the ring, and wakes the one behind it. */
static void *pass_on(void *cpu_time)
{
	static unsigned int next;
	unsigned int i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % THREADS;
	bool last = false;

	while (!last) {
		CHECK_EQ(read(ring[i][0], &last, 1), 1);
		hot_a(work_per_ms() / 64);
		last |= ring_ends;
		CHECK_EQ(write(ring[(i + 1) % THREADS][1], &last, 1), 1);
	}
	add_and_switch(cpu_time);
	return NULL;
}

static void *work(void *cpu_time)
{
	work_ms_and(40, nothing);
	add_and_switch(cpu_time);
	return NULL;
}

/* Each thread is in the middle of a block when it ends. */
static void check_threads(void *(*body)(void *))
{
	pthread_t thread[THREADS];
	uint64_t others = 0, ns;

	start_fast();
	ns = thread_ns();
	start_threads(thread, THREADS, body, &others);
	if (body == pass_on) {
		CHECK_EQ(write(ring[0][1], "", 1), 1);
		sleep_ms(200);
		ring_ends = true;
	}
	join_threads(thread, THREADS);
	check_share((double)(thread_ns() - ns + others), THREADS + 2);
}

CASE(threads_that_share_cpus_get_their_due, check_threads(work))

TEST(threads_that_wake_each_other_get_their_due)
{
	for (unsigned int i = 0; i < THREADS; i++)
		CHECK_CALL(pipe(ring[i]));
	check_threads(pass_on);
}

/* Without instructions as the clock, bounds are wide, and more lives do not make them narrow. */
#define SHORT	(icount() ? 1000 : 250)

static volatile uint64_t ended;

/* What follows is in a thread or process that lives for less than a millisecond. */
static void *live_shortly(void *cpu_time)
{
	hot_a(work_per_ms() / 4);
	add_and_switch(cpu_time);
	ended = now_ns();
	return NULL;
}

/* At most, whatever the CPU time of each. */
#define FOUR_SIGMA	(4 * sqrt(SHORT / 4.0) + 2)

TEST(threads_of_a_quarter_ms_get_their_due_on_average)
{
	uint64_t others = 0, exits = 0, ns;

	start_fast();
	ns = thread_ns();
	for (int i = 0; i < SHORT; i++) {
		join_thread(start_thread(live_shortly, &others));
		exits += now_ns() - ended;
	}
	ns = thread_ns() - ns + others;
	stopped();
	/* The process's clock may lack the ends of its threads: they exit in a time slice. */
	check_near(count, (double)ns, (double)(process_ns() - process_start + exits), FOUR_SIGMA);
}

TEST(processes_of_a_quarter_ms_get_their_due_on_average)
{
	struct shared {
		uint64_t before_stop;
		uint64_t after_stop;
		uint64_t samples;
	} *sum = shared_memory(sizeof(*sum));

	start_fast();
	for (int i = 0; i < SHORT; i++)
		IN_CHILD {
			live_shortly(&sum->before_stop);
			sum->samples += stopped().ticks;
			sum->after_stop += thread_ns();
		}
	stopped();
	/* Most of the stop is sampled, too: it is an eighth of these lives. */
	check_near(sum->samples, icount() ? sum->after_stop : sum->before_stop, sum->after_stop,
		   FOUR_SIGMA);
}

/* A profile that starts and stops in the middle of blocks. */
TEST(runs_of_a_quarter_ms_get_their_due_on_average)
{
	uint64_t samples = 0, ns = 0, most = 0, from;

	for (int i = 0; i < SHORT; i++) {
		start_fast();
		from = thread_ns();
		hot_a(work_per_ms() / 4);
		ns += thread_ns() - from;
		samples += stopped().ticks;
		most += process_ns() - process_start;
		hot_b(work_per_ms() / 3);
	}
	check_near(samples, ns, most, FOUR_SIGMA);
}

static uint32_t *gone;

static void forget(void)
{
	CHECK_CALL(madvise(gone, PAGE, MADV_DONTNEED));
}

/* SysRq-N makes the kernel forget since when a thread runs: it counts all of its uptime. */
static struct profil_status be_late(uint32_t *counter, void (*then)(void))
{
	NEEDS_ROOT();
	sleep_until(15000 * MS);
	start_counter(counter);
	CHECK_CALL(write_file("/proc/sysrq-trigger", "n"));
	work_ms_and(20, then);
	return accounted();
}

TEST(no_more_than_10000_samples_are_taken_at_once)
{
	struct profil_status st = be_late(&count, nothing);

	CHECK_GE(st.dropped, 4000);
	CHECK(st.counted >= 10000 && st.counted <= 12000);
}

TEST(late_samples_of_an_absent_counter_are_counted)
{
	struct profil_status st;
	int tries = 10;

	gone = private_memory(PAGE);
	/* The first tick after a sample finds the memory there. */
	do
		st = be_late(gone, forget);
	while (st.deferred < 9000 && --tries);
	CHECK(tries);
	CHECK(st.counted >= 10000 && st.counted <= 12000);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The hook on the kernel's tick is there while somebody is profiled, and at no
 * other time. (That it then costs nothing is measured by unarmed.sh.)
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>

#include "harness.h"
#include "machine.h"
#include "device.h"
#include "hook.h"
#include "work.h"

static uint32_t buf;

static void start(void)
{
	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK), 0);
}

TEST(tick_is_hooked_only_while_a_profile_runs)
{
	struct profil_status st;

	need_tracing();
	CHECK(unhooked_in_time());
	start();
	CHECK(hooked_in_time());
	CHECK(work_for_ticks(3));
	CHECK(hooked());
	CHECK_EQ(stop(&st), 0);
	CHECK(unhooked_in_time());
	/* And again: a hook must not work only once. */
	start();
	CHECK(hooked_in_time());
	CHECK(work_for_ticks(3));
}

TEST(tick_stays_hooked_while_profiles_go_on_and_off)
{
	struct profil_status st;

	need_tracing();
	start();
	CHECK(hooked_in_time());
	for (int i = 0; i < 20; i++) {
		start();
		CHECK_EQ(stop(&st), 0);
		CHECK(hooked());
	}
	CHECK(unhooked_in_time());
}

TEST(tick_stays_hooked_for_the_child_that_is_left)
{
	/* More than it takes to unhook. */
	struct timespec more = { .tv_sec = 1, .tv_nsec = 500000000 };
	struct profil_status st;
	pid_t pid;

	need_tracing();
	start();
	pid = FORK();
	if (pid == 0) {
		nanosleep(&more, NULL);
		CHECK(hooked_in_time());
		CHECK(work_for_ticks(3));
		_exit(0);
	}
	CHECK_EQ(stop(&st), 0);
	wait_ok(pid);
	CHECK(unhooked_in_time());
}

/* Timers serve, and as long as they do, it is not asked, nor does it say so again. */
TEST(kernel_that_refuses_the_hook_is_not_asked_by_each_start)
{
	struct profil_status st;

	NEEDS_ROOT();
	for (int i = 0; i < 20; i++) {
		start();
		CHECK(work_for_ticks(1));
		CHECK_EQ(stop(&st), 0);
	}
	CHECK_LE(log_lines("cannot hook"), 1);
}

/*
 * Whoever takes a jump away waits, with what patches code locked, for each task that is
 * preempted in the kernel. The kernel makes one a moment after the kprobe has come.
 */
TEST(hook_is_no_jump)
{
	struct profil_status st;

	need_tracing();
	start();
	CHECK(hooked_in_time());
	for (int i = 0; i < 10; i++) {
		sleep_ms(100);
		CHECK(!contains(KPROBES, "[OPTIMIZED]"));
	}
	CHECK_EQ(stop(&st), 0);
}

TEST(tick_is_unhooked_after_the_last_profiled_process_was_killed)
{
	pid_t pid;

	need_tracing();
	pid = FORK();
	if (pid == 0) {
		start();
		CHECK(work_for_ticks(2));
		raise(SIGKILL);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK(unhooked_in_time());
}

TEST(tick_is_unhooked_after_a_profile_that_stopped_by_itself)
{
	uint64_t array[4];

	need_tracing();
	CHECK(unhooked_in_time());
	CHECK_EQ(start_samples(array, 2, 8, PROFIL_RATE_TICK), 0);
	for (int i = 0; i < 200000 && page()->state == PROFIL_STATE_ON; i++)
		hot_a(10000);
	CHECK_EQ(page()->state, PROFIL_STATE_FULL);
	CHECK(unhooked_in_time());
}

TEST(request_that_fails_does_not_leave_the_tick_hooked)
{
	need_tracing();
	CHECK(unhooked_in_time());
	CHECK_EQ(start_samples(&buf, 2, 3, PROFIL_RATE_TICK), -EINVAL);
	CHECK(unhooked_in_time());
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

TEST(tick_stays_hooked_while_less_than_a_second_lies_between_profiles)
{
	struct profil_status st;
	unsigned int looks = 0;
	uint64_t begin = now_ms(), stopped;
	bool still;

	need_tracing();
	start();
	CHECK(hooked_in_time());
	while (looks < 15 && (!looks || now_ms() - begin < 20000)) {
		stopped = now_ms();
		start();
		CHECK_EQ(stop(&st), 0);
		sleep_ms(300);
		still = hooked();
		/*
		 * On a machine that let us sleep too long, it may be gone, or go: then
		 * who starts is served by timers until it has gone.
		 */
		if (now_ms() - stopped >= 1000) {
			CHECK(unhooked_in_time());
			start();
			CHECK(hooked_in_time());
			continue;
		}
		CHECK(still);
		looks++;
	}
}

/*
 * Six times, and once more every ten seconds. (Where instructions are the clock,
 * to sleep costs no time.) A start while the hook is being removed sets none.
 */
TEST(profiles_that_come_and_go_hook_the_tick_ten_times_in_40_seconds_at_most)
{
	uint64_t end = now_ms() + 40000;
	struct profil_status st;
	unsigned int hooks = 0;

	NEEDS_ICOUNT();
	need_tracing();
	while (now_ms() < end) {
		if (!hooked()) {
			start();
			CHECK_EQ(stop(&st), 0);
			hooks += hooked();
		}
		sleep_ms(50);
	}
	note("hooked %u times in 40 seconds", hooks);
	CHECK_LE(hooks, 10);
	CHECK_GE(hooks, 3);
}

#define RT_RUNTIME	"/proc/sys/kernel/sched_rt_runtime_us"

/* Busy with one system call, all of it the kernel's, on what others leave of CPU 1. */
static pid_t idler_of_cpu_1(void)
{
	struct sched_param none = { .sched_priority = 0 };
	size_t size = 64UL << 20;
	pid_t pid = FORK();
	char *mem;
	int zero;

	if (pid)
		return pid;
	CHECK_CALL(become_nobody());
	zero = CHECK_CALL(open("/dev/zero", O_RDONLY));
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(mem != MAP_FAILED);
	CHECK_CALL(pin(1));
	CHECK_CALL(sched_setscheduler(0, SCHED_IDLE, &none));
	for (;;)
		CHECK_CALL(read(zero, mem, size));
}

/*
 * Where the kernel has no fair server, nothing else runs on CPU 1 until it is killed,
 * and who removes a hook waits until each CPU has run something of its choice; where it
 * has, that leaves the idler a twentieth, preempted in the kernel, for which it waits, too.
 */
static pid_t hog_of_cpu_1(void)
{
	struct sched_param priority = { .sched_priority = 50 };
	pid_t pid = FORK();

	if (pid)
		return pid;
	CHECK_CALL(pin(1));
	CHECK_CALL(sched_setscheduler(0, SCHED_FIFO, &priority));
	for (;;)
		hot_a(100000);
}

/* False if it goes on; the test fails if it has ended in another way than well. */
static bool has_ended_well(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	CHECK_CALL(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT));
	if (info.si_pid)
		wait_ok(pid);
	return info.si_pid;
}

/* Dies by SIGKILL; false if it does not for as long as we care to wait. */
static bool dies(pid_t pid)
{
	kill(pid, SIGKILL);
	for (int i = 0; i < 50; i++) {
		if (CHECK_CALL(waitpid(pid, NULL, WNOHANG)) == pid)
			return true;
		sleep_ms(100);
	}
	return false;
}

/* A CPU that sleeps leaves its timers to others, here to the hog's. */
static void stay_awake_ms(unsigned int ms)
{
	uint64_t end = now_ms() + ms;

	while (now_ms() < end)
		hot_a(10000);
}

/*
 * A process that starts a profile and has not done it for as long as we care to wait;
 * -1 if each of some has. That it sleeps at a moment means little: a start waits for
 * grace periods, too, and on a slow machine these are long.
 */
static pid_t starter_that_waits(void)
{
	uint64_t end;
	pid_t pid;

	for (int i = 0; i < 8; i++) {
		/* The one before has put the removal of the hook off by a second. */
		stay_awake_ms(1500);
		end = now_ms() + 15000 * (uint64_t)slowness();
		pid = FORK();
		if (pid == 0) {
			start();
			CHECK(work_for_ticks(3));
			_exit(0);
		}
		while (!has_ended_well(pid)) {
			if (now_ms() >= end)
				return pid;
			stay_awake_ms(20);
		}
	}
	return -1;
}

struct holders {
	pid_t idler, hog;
};

/* The hook is set, is needed no more, and will be gone when these are. */
static struct holders hold_the_hook_that_goes(void)
{
	struct holders holders = { .idler = idler_of_cpu_1() };
	struct profil_status st;

	sleep_ms(300);
	start();
	CHECK_EQ(stop(&st), 0);
	CHECK_EQ(write_file(RT_RUNTIME, "-1"), 0);
	holders.hog = hog_of_cpu_1();
	stay_awake_ms(1500);
	return holders;
}

static void let_the_hook_go(struct holders holders)
{
	kill(holders.hog, SIGKILL);
	kill(holders.idler, SIGKILL);
	CHECK_CALL(waitpid(holders.hog, NULL, 0));
	CHECK_CALL(waitpid(holders.idler, NULL, 0));
	CHECK_EQ(write_file(RT_RUNTIME, "950000"), 0);
}

TEST(start_does_not_wait_while_the_hook_is_removed_and_is_sampled)
{
	struct holders holders;
	pid_t pid;

	NEEDS_CPUS(2);
	need_tracing();
	CHECK_CALL(pin(0));
	holders = hold_the_hook_that_goes();
	pid = starter_that_waits();
	if (pid > 0)
		dies(pid);
	let_the_hook_go(holders);
	CHECK_EQ(pid, -1);
}

/* Whoever switches the hooks off waits for who removes one, and comes before it is set anew. */
TEST(hook_that_is_switched_off_is_told_where_timers_have_stood_in_for_it)
{
	unsigned int lines = 0, expected = 0;
	struct holders holders;
	uint64_t end;
	pid_t pid;

	NEEDS_CPUS(2);
	need_tracing();
	CHECK_CALL(pin(0));
	holders = hold_the_hook_that_goes();
	expected = lines_about_the_hook() + !hook_is_the_kernels_own();
	start();
	pid = FORK();
	if (pid == 0) {
		CHECK_CALL(set_hooks("0"));
		_exit(0);
	}
	stay_awake_ms(500);
	let_the_hook_go(holders);
	wait_ok(pid);
	end = now_ms() + 15000 * (uint64_t)slowness();
	do {
		sleep_ms(100);
		lines = lines_about_the_hook();
	} while (lines < expected && now_ms() < end);
	CHECK_CALL(set_hooks("1"));
	CHECK_EQ(lines, expected);
}

/* --- a hook whose removal takes for ever ------------------------------------------ */

#define HOGS	20

static pid_t hog_of_nobody(void)
{
	pid_t pid = FORK();

	if (pid)
		return pid;
	CHECK_CALL(become_nobody());
	CHECK_CALL(pin(1));
	for (;;)
		hot_a(100000);
}

/* Another process starts, and says how long that took; SIGKILL ends it. */
static bool starts_in_time(void)
{
	uint64_t begin = now_ms();
	pid_t pid = FORK();
	int status;

	if (pid == 0) {
		start();
		note("a start took %llu ms", (unsigned long long)(now_ms() - begin));
		CHECK(work_for_ticks(3));
		_exit(0);
	}
	while (now_ms() - begin < 15000 * (uint64_t)slowness()) {
		if (CHECK_CALL(waitpid(pid, &status, WNOHANG)) == pid)
			return status == 0;
		sleep_ms(10);
	}
	kill(pid, SIGKILL);
	CHECK_CALL(waitpid(pid, NULL, 0));
	return false;
}

TEST(start_is_not_kept_waiting_by_another_user_s_thread_that_hardly_runs)
{
	pid_t pids[HOGS + 1];
	bool in_time = true;

	NEEDS_CPUS(2);
	need_tracing();
	CHECK_CALL(pin(0));
	pids[HOGS] = idler_of_cpu_1();
	sleep_ms(300);
	for (int i = 0; i < HOGS; i++)
		pids[i] = hog_of_nobody();
	for (int i = 0; i < 4 && in_time; i++) {
		in_time = starts_in_time();
		/* The removal of the hook begins. */
		stay_awake_ms(1500);
	}
	for (int i = 0; i <= HOGS; i++) {
		kill(pids[i], SIGKILL);
		CHECK_CALL(waitpid(pids[i], NULL, 0));
	}
	CHECK(in_time);
}

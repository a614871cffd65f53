// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The hook on the kernel's tick is there while somebody is profiled, and at no
 * other time. (That it then costs nothing is measured by unarmed.sh.)
 */
#include <sys/mount.h>

#include "harness.h"
#include "device.h"
#include "work.h"

#define TRACING	"/sys/kernel/tracing"
#define HOOKED	TRACING "/enabled_functions"
#define KPROBES	"/sys/kernel/debug/kprobes/list"

static uint32_t buf;

static bool contains(const char *path, const char *what)
{
	static char text[1 << 20];

	return read_file(path, text, sizeof(text)) == 0 && strstr(text, what);
}

static bool hooked(void)
{
	return contains(HOOKED, "update_process_times") ||
	       contains(KPROBES, "update_process_times");
}

static void need_tracing(void)
{
	NEEDS_ROOT();
	if (access(HOOKED, R_OK) != 0)
		mount("none", TRACING, "tracefs", 0, NULL);
	if (access(KPROBES, R_OK) != 0)
		mount("none", "/sys/kernel/debug", "debugfs", 0, NULL);
	if (access(HOOKED, R_OK) != 0 && access(KPROBES, R_OK) != 0)
		SKIP("no list of hooks");
}

/* Sleeps until the hook is gone; false if that does not happen. */
static bool unhooked_in_time(void)
{
	struct timespec pause = { .tv_nsec = 100000000 };

	for (int i = 0; i < 100; i++) {
		if (!hooked())
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

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
	CHECK(hooked());
	CHECK(work_for_ticks(3));
	CHECK(hooked());
	CHECK_EQ(stop(&st), 0);
	CHECK(unhooked_in_time());
	/* And again: a hook must not work only once. */
	start();
	CHECK(hooked());
	CHECK(work_for_ticks(3));
}

TEST(tick_stays_hooked_while_profiles_go_on_and_off)
{
	struct profil_status st;

	need_tracing();
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
		CHECK(hooked());
		CHECK(work_for_ticks(3));
		_exit(0);
	}
	CHECK_EQ(stop(&st), 0);
	wait_ok(pid);
	CHECK(unhooked_in_time());
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

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests that misbehave in every way. check.sh uses them to test the harness. The name of
 * each test says which result it must have.
 */
#include <pthread.h>

#include "harness.h"

TEST(passes)
{
	CHECK(true);
	CHECK_EQ(2 + 2, 4);
	CHECK_NEAR(1.0, 1.05, 0.1);
	CHECK_FAILS(close(-1), EBADF);
}

static int four = 4;
static bool never;

CASE(fails_with_values, CHECK_EQ(four, 5))
CASE(fails_for_a_condition, CHECK(never))
CASE(fails_out_of_tolerance, CHECK_NEAR(1.0, 1.2, 0.1))
CASE(fails_for_a_call, (void)CHECK_CALL(close(-1)))
CASE(fails_for_another_errno, CHECK_FAILS(close(-1), EINTR))
CASE(fails_for_a_call_that_succeeds, CHECK_FAILS(getpid(), EINTR))
CASE(fails_by_a_signal, raise(SIGSEGV))
CASE(fails_by_exit_status, _exit(7))
CASE(fails_by_exit_status_4_without_a_reason_to_skip, _exit(4))
CASE(skips, SKIP("of the weather"))

static void *fail_in_thread(void *arg)
{
	(void)arg;
	FAIL("in a thread");
}

TEST(fails_in_a_thread)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, fail_in_thread, NULL), 0);
	pthread_join(thread, NULL);
}

TEST(fails_in_a_child)
{
	pid_t pid = FORK();

	if (pid == 0)
		CHECK_GT(1, 2);
	wait_ok(pid);
}

TEST(fails_for_a_child_that_is_killed)
{
	pid_t pid = FORK();

	if (pid == 0)
		raise(SIGKILL);
	wait_ok(pid);
}

HARNESS_TEST(fails_by_hanging, 1)
{
	for (;;)
		pause();
}

HARNESS_TEST(fails_by_hanging_with_signals_blocked, 1)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (;;)
		pause();
}

TEST(skips_in_a_child)
{
	pid_t pid = FORK();

	if (pid == 0)
		SKIP("of the child");
	wait_ok(pid);
}

/* It is killed with the group: nothing of a test outlives it. */
TEST(passes_and_leaves_a_process_behind)
{
	pid_t pid = FORK();

	if (pid == 0)
		for (;;)
			pause();
	note("left %d", (int)pid);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Many threads, one profile: it is the address space's, whichever threads start it, stop
 * it and leave. counters.c has counters that many write to.
 */
#include "setup.h"

static uint64_t ticks_wanted;

static void *start_and_leave(void *arg)
{
	CHECK_EQ(start_region(everything(arg, 4, 4), PROFIL_RATE_TICK), 0);
	return NULL;
}

TEST(profile_outlives_the_thread_that_started_it)
{
	uint32_t buf = 0;

	join_thread(start_thread(start_and_leave, &buf));
	CHECK(work_for_ticks(20));
	CHECK_EQ(stopped().counted, buf);
	CHECK_GE(buf, 20);
}

static int clone_body(void *arg)
{
	(void)arg;
	while (page()->ticks < ticks_wanted)
		hot_b(20000);
	return 0;
}

static uint32_t orphan_counter;

static int orphan_body(void *arg)
{
	const int *fd = arg;

	clone_body(NULL);
	CHECK_EQ(stopped().counted, orphan_counter);
	CHECK_EQ(write(*fd, "k", 1), 1);
	return 0;
}

TEST(memory_whose_first_process_has_exited_is_still_profiled)
{
	static char stack[65536] __attribute__((aligned(64)));
	static int fds[2];
	char byte;
	pid_t pid;

	CHECK_CALL(pipe(fds));
	pid = FORK();
	if (pid == 0) {
		CHECK_EQ(start_region(everything(&orphan_counter, 4, 4), PROFIL_RATE_TICK), 0);
		ticks_wanted = 30;
		CHECK_CALL(clone(orphan_body, stack + sizeof(stack), CLONE_VM | SIGCHLD, &fds[1]));
		_exit(0);
	}
	close(fds[1]);
	wait_ok(pid);
	CHECK_EQ(read(fds[0], &byte, 1), 1);
}

static void *stop_repeatedly(void *arg)
{
	const volatile int *end = arg;
	struct profil_status st;

	while (!*end)
		CHECK_EQ(stop(&st), 0);
	return NULL;
}

TEST(starts_and_stops_from_many_threads_keep_every_account)
{
	static uint32_t buf;
	volatile int end = 0;
	pthread_t threads[4];

	start_threads(threads, 4, stop_repeatedly, (void *)&end);
	for (int i = 0; i < 150; i++) {
		struct profil_region region = everything(&buf, 4, 4);
		struct profil_status last = { .size = sizeof(last) };
		struct profil_histogram request = HISTOGRAM(&region, PROFIL_RATE_TICK,
							    .last = (uintptr_t)&last);

		CHECK_EQ(start_histogram(&request), 0);
		CHECK_ACCOUNTS(&last);
		hot_a(5000);
	}
	end = 1;
	join_threads(threads, 4);
	accounted();
}

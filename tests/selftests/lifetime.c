// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The profile belongs to the address space, whichever of its threads start it, stop it
 * and leave. fork, exec, exit and similar calls change it, and nothing else does.
 */
#include "setup.h"

#define TICKS	15

extern char **environ;

static void start(void)
{
	start_tally(PROFIL_RATE_TICK);
}

ROLE(nothing)
{
	return 0;
}

static char *const nothing_argv[] = { "selftest", "--role", "nothing", NULL };

TEST(exec_that_fails_leaves_the_profile_running)
{
	start();
	CHECK_FAILS(execve("/nonexistent", nothing_argv, environ), ENOENT);
	CHECK_FAILS(execve("/proc/self/maps", nothing_argv, environ), EACCES);
	check_tally(TICKS);
}

/* Kept out of the caller's frame, which vfork() shares. */
__attribute__((noinline)) static pid_t vfork_exec(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve("/proc/self/exe", nothing_argv, environ);
		_exit(99);
	}
	return pid;
}

TEST(vfork_and_exec_in_a_loop_lose_the_parent_nothing)
{
	const volatile struct profil_status *at_first;
	struct profil_status st;
	uint64_t ns;

	start();
	at_first = page();
	ns = process_ns();
	for (int i = 0; i < 40; i++) {
		wait_ok(CHECK_CALL(vfork_exec()));
		hot_a(200000);
		CHECK_EQ(at_first->state, PROFIL_STATE_ON);
	}
	st = check_tally(TICKS);
	ns = process_ns() - ns;
	if (icount())
		CHECK_GE((double)st.ticks, 0.85 * (double)ns / (double)st.period_ns - 5);
}

TEST(descriptor_serves_whoever_calls_not_who_opened_it)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	struct profil_status st = { .size = sizeof(st) };

	start();
	IN_CHILD {
		CHECK_CALL(ioctl(fd, PROFIL_IOC_STOP, &st));
	}
	check_tally(TICKS);
}

TEST(module_in_use_cannot_be_unloaded)
{
	NEEDS_ROOT();
	if (access("/sys/module/profil/initstate", F_OK) != 0)
		SKIP("the module is built in");
	start();
	CHECK_FAILS(syscall(SYS_delete_module, "profil", O_NONBLOCK), EWOULDBLOCK);
	check_tally(TICKS);
	/* A stopped profile still has its page. */
	CHECK_FAILS(syscall(SYS_delete_module, "profil", O_NONBLOCK), EWOULDBLOCK);
}

static uint32_t orphan_counter;

static int orphan_body(void *arg)
{
	const int *fd = arg;

	work_until_ticks(page(), 30);
	CHECK_EQ(stopped().counted, orphan_counter);
	CHECK_EQ(write(*fd, "k", 1), 1);
	return 0;
}

TEST(memory_whose_first_process_has_exited_is_still_profiled)
{
	static char stack[65536] __attribute__((aligned(64)));
	static int fds[2];
	char byte;

	CHECK_CALL(pipe(fds));
	IN_CHILD {
		CHECK_EQ(start_region(everything(&orphan_counter, 4, 4), PROFIL_RATE_TICK), 0);
		CHECK_CALL(clone(orphan_body, stack + sizeof(stack), CLONE_VM | SIGCHLD, &fds[1]));
	}
	close(fds[1]);
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

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The profile belongs to the address space. fork, exec, exit and similar calls change
 * it, and nothing else does.
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

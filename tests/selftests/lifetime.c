// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The profile belongs to the address space. fork, exec, exit and similar calls change
 * it, and nothing else does.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "setup.h"
#include "machine.h"
#include "attack.h"

#define TICKS	15

extern char **environ;

/* Only ticks write this page. So a child gets its own copy at its first sample. */
static struct {
	uint32_t count;
} __attribute__((aligned(4096))) buf;

static void start(void)
{
	buf.count = 0;
	CHECK_EQ(start_region(everything(&buf.count, sizeof(buf.count), 4), PROFIL_RATE_TICK), 0);
}

/* Checks that the profile goes on: ticks come, and the buffer has each at the end. */
static void check_goes_on(uint32_t already)
{
	struct profil_status st;

	CHECK(work_for_ticks(TICKS));
	st = stopped();
	CHECK_GE(st.counted, TICKS);
	CHECK_EQ(buf.count - already, st.counted);
}

static void check_no_profile(void)
{
	struct profil_status st;

	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_OFF);
	CHECK_EQ(st.mode, PROFIL_MODE_NONE);
	CHECK_EQ(st.ticks, 0);
	CHECK(!has_page());
}

/* What is exec'ed: is it unprofiled, and does it run to its end? */
ROLE(new_program)
{
	struct itimerval timer;

	check_no_profile();
	CHECK_CALL(getitimer(ITIMER_PROF, &timer));
	CHECK_EQ(timer.it_value.tv_sec, 0);
	CHECK_EQ(timer.it_value.tv_usec, 0);
	hot_a(200 * 20000);
	check_no_profile();
	/* And it can have a profile of its own. */
	start();
	check_goes_on(0);
	return 0;
}

ROLE(nothing)
{
	return 0;
}

static char *const new_program_argv[] = {
	"selftest", "--role", "new_program", NULL
};

static char *const nothing_argv[] = {
	"selftest", "--role", "nothing", NULL
};

TEST(fork_child_and_parent_both_go_on_each_in_its_own_copy)
{
	struct bounds {
		uint32_t before;
		uint32_t after;
	} *at_fork = shared_memory(sizeof(*at_fork));
	struct profil_status st;
	pid_t pid;

	start();
	CHECK(work_for_ticks(TICKS));
	at_fork->before = buf.count;
	pid = FORK();
	if (pid == 0) {
		uint32_t inherited;

		CHECK(work_for_ticks(TICKS));
		st = stopped();
		CHECK_GE(st.counted, TICKS);
		inherited = buf.count - (uint32_t)st.counted;
		while (!at_fork->after)
			sched_yield();
		/* Its own ticks, from 0, on top of what the parent had. */
		CHECK_GE(inherited, at_fork->before);
		CHECK_LE(inherited, at_fork->after);
		_exit(0);
	}
	at_fork->after = buf.count;
	CHECK(work_for_ticks(TICKS));
	wait_ok(pid);
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	check_goes_on(0);
}

TEST(first_tick_after_fork_is_not_lost)
{
	start();
	CHECK(work_for_ticks(3));
	IN_CHILD {
		CHECK(work_for_ticks(3));
		CHECK_GE(stopped().deferred, 1);
	}
	check_goes_on(0);
}

TEST(grandchildren_of_a_profiled_process_are_profiled)
{
	pid_t pid;

	start();
	for (int generation = 0; generation < 4; generation++) {
		pid = FORK();
		if (pid != 0) {
			wait_ok(pid);
			break;
		}
	}
	/* Each on its way out, the youngest first. */
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	CHECK(work_for_ticks(5));
	_exit(0);
}

TEST(exec_ends_the_profile_and_the_new_program_runs_to_its_end)
{
	pid_t pid = FORK();

	if (pid == 0) {
		start();
		CHECK(work_for_ticks(3));
		execve("/proc/self/exe", new_program_argv, environ);
		FAIL("execve: %s", strerror(errno));
	}
	wait_ok(pid);
}

TEST(exec_that_fails_leaves_the_profile_running)
{
	start();
	CHECK(work_for_ticks(3));
	CHECK_FAILS(execve("/nonexistent", nothing_argv, environ), ENOENT);
	CHECK_FAILS(execve("/proc/self/maps", nothing_argv, environ), EACCES);
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	check_goes_on(0);
}

/* Kept out of the caller's frame, which vfork() shares. */
__attribute__((noinline)) static pid_t vfork_exec(char *const *argv)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve("/proc/self/exe", argv, environ);
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
		wait_ok(CHECK_CALL(vfork_exec(nothing_argv)));
		hot_a(200000);
		CHECK_EQ(at_first->state, PROFIL_STATE_ON);
	}
	CHECK(work_for_ticks(TICKS));
	ns = process_ns() - ns;
	st = stopped();
	CHECK_EQ(buf.count, st.counted);
	if (icount())
		CHECK_GE((double)st.ticks, 0.85 * (double)ns / (double)st.period_ns - 5);
}

TEST(closing_every_descriptor_leaves_the_profile_running)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	struct profil_region region = everything(&buf.count, 4, 4);
	struct profil_histogram request = HISTOGRAM(&region, PROFIL_RATE_TICK);
	int out = CHECK_CALL(dup(STDOUT_FILENO));
	struct profil_status st = { .size = sizeof(st) };

	CHECK_EQ(start_histogram(&request), 0);
	/* All but the copy that diagnostics need. */
	for (int i = 0; i < 1024; i++)
		if (i != out)
			close(i);
	CHECK_EQ(dup2(out, STDOUT_FILENO), STDOUT_FILENO);
	close(out);
	CHECK_FAILS(ioctl(fd, PROFIL_IOC_STATUS, &st), EBADF);
	check_goes_on(0);
}

TEST(chroot_leaves_the_profile_running)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	struct profil_status st = { .size = sizeof(st) };

	NEEDS_ROOT();
	start();
	CHECK_CALL(chroot("/sys"));
	CHECK_CALL(chdir("/"));
	CHECK(work_for_ticks(TICKS));
	/* No device to open here; the descriptor still serves. */
	CHECK_EQ(stop(&st), -ENOENT);
	CHECK_CALL(ioctl(fd, PROFIL_IOC_STOP, &st));
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf.count, st.counted);
}

TEST(setuid_leaves_the_profile_running_and_in_reach)
{
	NEEDS_ROOT();
	start();
	CHECK(work_for_ticks(3));
	CHECK_CALL(setgid(65534));
	CHECK_CALL(setuid(65534));
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	check_goes_on(0);
}

TEST(descriptor_serves_whoever_calls_not_who_opened_it)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	struct profil_status st = { .size = sizeof(st) };

	start();
	IN_CHILD {
		CHECK_CALL(ioctl(fd, PROFIL_IOC_STOP, &st));
	}
	CHECK_CALL(ioctl(fd, PROFIL_IOC_STATUS, &st));
	CHECK_EQ(st.state, PROFIL_STATE_ON);
	check_goes_on(0);
}

TEST(module_in_use_cannot_be_unloaded)
{
	NEEDS_ROOT();
	if (access("/sys/module/profil/initstate", F_OK) != 0)
		SKIP("the module is built in");
	start();
	CHECK_FAILS(syscall(SYS_delete_module, "profil", O_NONBLOCK), EWOULDBLOCK);
	check_goes_on(0);
	/* A stopped profile still has its page. */
	CHECK_FAILS(syscall(SYS_delete_module, "profil", O_NONBLOCK), EWOULDBLOCK);
}

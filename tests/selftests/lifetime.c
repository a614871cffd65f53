// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The profile belongs to the address space: what fork, exec, exit and their
 * relatives do to it, and that nothing else does anything to it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "harness.h"
#include "machine.h"
#include "attack.h"
#include "device.h"
#include "work.h"

#define TICKS	15

extern char **environ;

/* Nothing else writes its page: a child has its own when it is sampled, and not before. */
static struct {
	uint32_t count;
} __attribute__((aligned(4096))) buf;

static void start(void)
{
	buf.count = 0;
	CHECK_EQ(start_region(everything(&buf.count, sizeof(buf.count), 4), PROFIL_RATE_TICK), 0);
}

/* The profile goes on: ticks come, and each is in the buffer at the end. */
static void check_goes_on(uint32_t already)
{
	struct profil_status st;

	CHECK(work_for_ticks(TICKS));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_GE(st.counted, TICKS);
	CHECK_EQ(buf.count - already, st.counted);
}

static void *shared_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	return memory;
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
	for (int i = 0; i < 200; i++)
		hot_a(20000);
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
		CHECK_EQ(stop(&st), 0);
		CHECK_NOTHING_LOST(&st);
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

TEST(first_tick_after_fork_finds_a_write_protected_page_and_is_not_lost)
{
	struct profil_status st;
	pid_t pid;

	start();
	CHECK(work_for_ticks(3));
	pid = FORK();
	if (pid == 0) {
		CHECK(work_for_ticks(3));
		CHECK_EQ(stop(&st), 0);
		CHECK_NOTHING_LOST(&st);
		CHECK_GE(st.deferred, 1);
		_exit(0);
	}
	wait_ok(pid);
	check_goes_on(0);
}

TEST(fork_child_of_a_stopped_profile_is_not_profiled)
{
	struct profil_status st;
	pid_t pid;

	start();
	CHECK(work_for_ticks(3));
	CHECK_EQ(stop(&st), 0);
	pid = FORK();
	if (pid == 0) {
		uint32_t was = buf.count;

		for (int i = 0; i < 1000; i++)
			hot_a(20000);
		CHECK_EQ(get_status(&st), 0);
		CHECK_NE(st.state, PROFIL_STATE_ON);
		CHECK_EQ(buf.count, was);
		_exit(0);
	}
	wait_ok(pid);
}

TEST(stop_in_a_fork_child_leaves_the_parent_running)
{
	struct profil_status st;
	pid_t pid;

	start();
	pid = FORK();
	if (pid == 0) {
		CHECK_EQ(stop(&st), 0);
		CHECK_EQ(st.state, PROFIL_STATE_OFF);
		_exit(0);
	}
	wait_ok(pid);
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
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

TEST(status_in_a_fork_child_starts_at_0)
{
	struct profil_status st;
	uint64_t parent;
	pid_t pid;

	start();
	CHECK(work_for_ticks(TICKS));
	parent = page()->ticks;
	pid = FORK();
	if (pid == 0) {
		CHECK_EQ(get_status(&st), 0);
		CHECK_EQ(st.state, PROFIL_STATE_ON);
		CHECK_EQ(st.rate, PROFIL_RATE_TICK);
		CHECK_LE(st.ticks, TICKS / 2);
		CHECK_LE(page()->ticks, TICKS / 2);
		_exit(0);
	}
	wait_ok(pid);
	CHECK_GE(page()->ticks, parent);
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

TEST(exec_in_a_fork_child_leaves_the_parent_profiled)
{
	pid_t pid;

	start();
	pid = FORK();
	if (pid == 0) {
		execve("/proc/self/exe", new_program_argv, environ);
		_exit(99);
	}
	wait_ok(pid);
	check_goes_on(0);
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
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf.count, st.counted);
	if (icount())
		CHECK_GE((double)st.ticks, 0.85 * (double)ns / (double)st.period_ns - 5);
}

TEST(program_run_by_vfork_and_exec_is_unprofiled)
{
	start();
	wait_ok(CHECK_CALL(vfork_exec(new_program_argv)));
	check_goes_on(0);
}

TEST(program_run_by_posix_spawn_is_unprofiled_and_the_parent_loses_nothing)
{
	pid_t pid;

	start();
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(posix_spawn(&pid, "/proc/self/exe", NULL, NULL,
				     new_program_argv, environ), 0);
		wait_ok(pid);
	}
	check_goes_on(0);
}

TEST(vfork_child_that_works_is_charged_to_the_shared_profile)
{
	volatile uint64_t in_child = 0;
	pid_t pid;

	start();
	pid = vfork();
	if (pid == 0) {
		uint64_t was = page()->ticks;

		work_for_ticks(TICKS);
		in_child = page()->ticks - was;
		_exit(0);
	}
	CHECK_GT(pid, 0);
	wait_ok(pid);
	CHECK_GE(in_child, TICKS);
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	check_goes_on(0);
}

TEST(exit_of_a_profiled_process_ends_everything)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = FORK();

		if (pid == 0) {
			start();
			CHECK(work_for_ticks(1));
			_exit(0);
		}
		wait_ok(pid);
	}
	check_no_profile();
}

TEST(profiled_children_killed_at_any_moment_leave_the_parent_counting)
{
	start();
	for (unsigned int i = 0; i < 150; i++) {
		pid_t pid = FORK();
		int status;

		if (pid == 0) {
			struct profil_status st;

			for (;;) {
				hot_a(3000);
				start();
				stop(&st);
				start();
			}
		}
		/* From at once to some ticks later. */
		hot_a((i % 16) * 30000);
		CHECK_CALL(kill(pid, SIGKILL));
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFSIGNALED(status));
		CHECK_EQ(WTERMSIG(status), SIGKILL);
	}
	check_goes_on(0);
}

TEST_SLOW(profiled_families_killed_at_any_moment_leave_the_parent_counting)
{
	start();
	for (unsigned int i = 0; i < 2000; i++) {
		pid_t pid = FORK();

		if (pid == 0) {
			/* Dies with its group, wherever its forks have got to. */
			setpgid(0, 0);
			for (int depth = 0; depth < 3; depth++)
				fork();
			for (;;)
				hot_a(3000);
		}
		setpgid(pid, pid);
		hot_a((i % 16) * 30000);
		CHECK_CALL(kill(-pid, SIGKILL));
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
	check_goes_on(0);
}

TEST(closing_every_descriptor_leaves_the_profile_running)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	struct profil_region region = everything(&buf.count, 4, 4);
	struct profil_histogram request = {
		.regions = (uintptr_t)&region,
		.nregions = 1,
		.region_size = sizeof(region),
		.rate = PROFIL_RATE_TICK,
	};
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

TEST(daemon_goes_on_counting)
{
	struct result {
		volatile int done;
		struct profil_status st;
		uint32_t buf;
		uint32_t at_fork;
	} *result = shared_memory(sizeof(*result));
	pid_t pid;

	start();
	CHECK(work_for_ticks(3));
	pid = FORK();
	if (pid == 0) {
		CHECK_CALL(setsid());
		if (fork() != 0)
			_exit(0);
		CHECK_CALL(chdir("/"));
		umask(0);
		for (int i = 0; i < 1024; i++)
			close(i);
		work_for_ticks(TICKS);
		stop(&result->st);
		result->buf = buf.count;
		__sync_synchronize();
		result->done = 1;
		_exit(0);
	}
	wait_ok(pid);
	while (!result->done)
		sched_yield();
	CHECK_NOTHING_LOST(&result->st);
	CHECK_GE(result->st.counted, TICKS);
	CHECK_GE(result->buf, result->st.counted + 3);
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

TEST(unprivileged_process_can_be_profiled)
{
	NEEDS_ROOT();
	CHECK_CALL(setgid(65534));
	CHECK_CALL(setuid(65534));
	start();
	check_goes_on(0);
}

TEST(descriptor_serves_whoever_calls_not_who_opened_it)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	struct profil_status st = { .size = sizeof(st) };
	pid_t pid;

	start();
	pid = FORK();
	if (pid == 0) {
		CHECK_CALL(ioctl(fd, PROFIL_IOC_STOP, &st));
		_exit(0);
	}
	wait_ok(pid);
	CHECK_CALL(ioctl(fd, PROFIL_IOC_STATUS, &st));
	CHECK_EQ(st.state, PROFIL_STATE_ON);
	check_goes_on(0);
}

/* --- a fork that meets a replacing start -------------------------------------- */

/* Below all that starts touch: a fork comes to it first. Text is at 64 KiB on some. */
#if defined(__riscv) || defined(__arm__)
#define LOWEST	((void *)0x8000UL)
#else
#define LOWEST	((void *)0x10000UL)
#endif

static uint32_t replaced_counter;
static volatile unsigned int replaced;
/* Else most ticks may be the one's who replaces: the two take turns at ticks. */
static volatile bool replacing_rests;

/* Without a pause but when it rests, and without need of the mmap lock. */
static void *replace_for_ever(void *arg)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDONLY | O_CLOEXEC));
	struct profil_region region = everything(&replaced_counter, 4, 4);
	struct profil_histogram histogram = {
		.size = sizeof(histogram),
		.regions = (uintptr_t)&region,
		.nregions = 1,
		.region_size = sizeof(region),
		.rate = PROFIL_RATE_TICK,
	};

	(void)arg;
	for (;; replaced++) {
		while (replacing_rests)
			sleep_ms(20);
		CHECK_CALL(ioctl(fd, PROFIL_IOC_HISTOGRAM, &histogram));
	}
	return NULL;
}

/* One that says it is on must count. */
static void check_child_keeps_its_word(void)
{
	struct profil_status st;

	CHECK_EQ(get_status(&st), 0);
	if (st.state != PROFIL_STATE_ON)
		_exit(2);
	for (uint64_t begin = process_ns(); st.ticks == 0; get_status(&st)) {
		CHECK_LT(process_ns() - begin, 2000000000);
		hot_a(10000);
	}
	_exit(0);
}

TEST(fork_child_of_a_parent_whose_profile_is_only_ever_replaced_is_profiled)
{
	unsigned int on = 0, forks = 0;
	pthread_t thread;
	int status, fd;

	fd = CHECK_CALL(open(DEVICE, O_RDONLY | O_CLOEXEC));
	CHECK(mmap(LOWEST, 4096, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0) == LOWEST);
	CHECK_EQ(start_region(everything(&replaced_counter, 4, 4), PROFIL_RATE_TICK), 0);
	CHECK_EQ(pthread_create(&thread, NULL, replace_for_ever, NULL), 0);
	for (unsigned int i = 0; i < 1000 && time_left(); i++) {
		pid_t pid;

		for (unsigned int before = replaced; replaced < before + 3;)
			sched_yield();
		pid = FORK();
		if (pid == 0)
			check_child_keeps_its_word();
		replacing_rests = true;
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		replacing_rests = false;
		CHECK(WIFEXITED(status));
		CHECK_NE(WEXITSTATUS(status), HARNESS_FAIL);
		on += WEXITSTATUS(status) == 0;
		forks++;
	}
	note("%u of %u children were profiled, %u starts", on, forks, replaced);
	CHECK_EQ(on, forks);
}

#define OTHER_USE 0x5eedf00dU

/* A counter is a counter until the stop has returned, and then something else. */
static void *stop_and_reuse(void *arg)
{
	volatile uint32_t *counter = arg;
	struct profil_status st;

	for (;; replaced++) {
		*counter = 0;
		CHECK_EQ(start_region(everything((void *)counter, 4, 4),
				      PROFIL_RATE_TICK), 0);
		hot_a(1000);
		CHECK_EQ(stop(&st), 0);
		*counter = OTHER_USE;
		hot_a(1000);
	}
	return NULL;
}

/* What a fork copies last may have changed since it began. */
TEST(fork_child_never_counts_in_memory_that_a_stop_gave_back_during_the_fork)
{
	size_t size = 16 << 20;
	/* Above the heap, which begins at random in the first GiB of 64-bit programs. */
	char *between = (char *)(sizeof(long) > 4 ? 0x4UL << 30 : 0x20000000UL);
	uint32_t *counter;
	unsigned int on = 0, forks = 0;
	struct profil_status st;
	pthread_t thread;
	int status, fd;

	fd = CHECK_CALL(open(DEVICE, O_RDONLY | O_CLOEXEC));
	CHECK(mmap(LOWEST, 4096, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0) == LOWEST);
	counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	CHECK(counter != MAP_FAILED);
	/* Between the two: it takes long to copy. */
	CHECK(mmap(between, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_FIXED_NOREPLACE,
		   -1, 0) == between);
	madvise(between, size, MADV_NOHUGEPAGE);
	CHECK_EQ(pthread_create(&thread, NULL, stop_and_reuse, counter), 0);
	for (unsigned int i = 0; i < 500 && time_left(); i++) {
		pid_t pid = FORK();

		if (pid == 0) {
			CHECK_EQ(get_status(&st), 0);
			if (st.state != PROFIL_STATE_ON)
				_exit(2);
			CHECK_LT(*(volatile uint32_t *)counter, OTHER_USE);
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFEXITED(status));
		CHECK_NE(WEXITSTATUS(status), HARNESS_FAIL);
		on += WEXITSTATUS(status) == 0;
		forks++;
	}
	note("%u of %u children were profiled, %u starts", on, forks, replaced);
	CHECK(on);
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

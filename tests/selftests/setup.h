/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first and last steps of most tests. If one of them fails, the test fails. */
#ifndef SELFTESTS_SETUP_H
#define SELFTESTS_SETUP_H

#include <pthread.h>
#include <linux/capability.h>
#include <linux/userfaultfd.h>

#include "harness.h"
#include "machine.h"
#include "device.h"
#include "work.h"

/* mmap(), or the test fails. */
static inline void *mapped(void *at, size_t size, int protection, int flags, int fd)
{
	void *mem = mmap(at, size, protection, flags, fd, 0);

	CHECK(mem != MAP_FAILED);
	return mem;
}

/* Zeroed memory. Fork children have copies of private memory, and share the other. */
static inline void *private_memory(size_t size)
{
	return mapped(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static inline void *shared_memory(size_t size)
{
	return mapped(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
}

/* An access to an absent page there, or a write, by @mode, waits for an answer. */
static inline int userfault_on(void *mem, size_t size, unsigned int mode)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { (uintptr_t)mem, size }, .mode = mode };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		SKIP("no userfaultfd");
	CHECK_CALL(ioctl(fd, UFFDIO_API, &api));
	if (mode & UFFDIO_REGISTER_MODE_WP && !(api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP))
		SKIP("no userfaultfd of writes");
	CHECK_CALL(ioctl(fd, UFFDIO_REGISTER, &reg));
	return fd;
}

static inline struct profil_status status(void)
{
	struct profil_status st;

	CHECK_EQ(get_status(&st), 0);
	return st;
}

static inline struct profil_features features(void)
{
	struct profil_features features;

	CHECK_EQ(get_features(&features), 0);
	return features;
}

/* Skips the test if the module makes no stacks. */
static inline void needs_stacks(void)
{
	if (!features().stacks)
		SKIP("the module has no stacks");
}

static inline void unmap_page(void)
{
	CHECK_CALL(munmap((void *)(uintptr_t)page(), (size_t)sysconf(_SC_PAGESIZE)));
}

/*
 * Starts an array, and has 200 samples in its first page. Once more if that is full: a late
 * timer takes all samples that are due.
 */
static inline void start_in_the_first_page(void *array, size_t n)
{
	do {
		CHECK_EQ(start_samples(array, n, 8, PROFIL_RATE_FAST), 0);
		CHECK(work_for_ticks(200));
	} while (page()->ticks >= PAGE / 8);
}

/* Stops a profile that accounts for its ticks, or that has lost nothing. */
static inline struct profil_status accounted(void)
{
	struct profil_status st;

	CHECK_EQ(stop(&st), 0);
	CHECK_ACCOUNTS(&st);
	return st;
}

static inline struct profil_status stopped(void)
{
	struct profil_status st = accounted();

	CHECK_NOTHING_LOST(&st);
	return st;
}

/* A counter alone on its page, where only ticks write, and a profile of all ticks. */
static struct {
	uint32_t n;
} __attribute__((aligned(4096))) tally __attribute__((unused));

static inline void start_tally(unsigned int rate)
{
	tally.n = 0;
	CHECK_EQ(start_region(everything(&tally.n, sizeof(tally.n), 4), rate), 0);
}

/* The profile runs, ticks come, and the counter has them all when it has stopped. */
static inline struct profil_status check_tally(uint64_t ticks)
{
	struct profil_status st;

	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	CHECK(work_for_ticks(ticks));
	st = stopped();
	CHECK_GE(st.counted, ticks);
	CHECK_EQ(tally.n, st.counted);
	return st;
}

/* A child that does this until it is killed, or that ends well when it returns. */
static inline pid_t spawn(void (*fn)(void))
{
	pid_t pid = FORK();

	if (pid == 0) {
		fn();
		_exit(0);
	}
	return pid;
}

/* The statement that follows, in a forked child that must end well. */
#define IN_CHILD		IN_CHILD_AT(__LINE__)
#define IN_CHILD_AT(line)	IN_CHILD_NAMED(line)
#define IN_CHILD_NAMED(line)						\
	for (pid_t pid_##line = FORK(); pid_##line >= 0;		\
	     pid_##line = end_child(pid_##line))			\
		if (pid_##line == 0)

static inline pid_t end_child(pid_t child)
{
	if (child == 0)
		_exit(0);
	wait_ok(child);
	return -1;
}

/* Nothing else has ended it before, as a check of its own that fails. */
static inline void end_by_force(pid_t pid)
{
	int status;

	CHECK_CALL(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, SIGKILL);
}

/* Counter 0: hot_a()'s ticks; counter 1: hot_b()'s. */
static inline void start_both(uint32_t counters[2], unsigned int rate)
{
	struct profil_region regions[2] = {
		one_counter(&counters[0], 4, 4, text_a()),
		one_counter(&counters[1], 4, 4, text_b()),
	};

	counters[0] = counters[1] = 0;
	CHECK_EQ(start_regions(regions, 2, rate), 0);
}

/* What that file of /proc says. */
static inline long kb_of(const char *path, const char *name)
{
	char text[8192], *at;

	CHECK_CALL(read_file(path, text, sizeof(text)));
	at = strstr(text, name);
	CHECK(at);
	return strtol(at + strlen(name), NULL, 10);
}

typedef const volatile struct profil_status page_t;

/* Without a time limit, because the timer of a busy guest may be late. */
static inline void work_until_ticks(page_t *of, uint64_t ticks)
{
	while (of->ticks < ticks)
		hot_a(20000);
}

/* How many of these pages are there. */
static inline unsigned int pages_present(void *mem, unsigned int pages)
{
	unsigned char in[512];
	unsigned int n = 0;

	CHECK_LE(pages, sizeof(in));
	CHECK_CALL(mincore(mem, pages * PAGE, in));
	for (unsigned int i = 0; i < pages; i++)
		n += in[i] & 1;
	return n;
}

static inline void some_b(void)
{
	hot_b(10000);
}

static inline pthread_t start_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, fn, arg), 0);
	return thread;
}

static inline void start_threads(pthread_t *threads, unsigned int n, void *(*fn)(void *), void *arg)
{
	for (unsigned int i = 0; i < n; i++)
		threads[i] = start_thread(fn, arg);
}

static inline void join_thread(pthread_t thread)
{
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

static inline void join_threads(const pthread_t *threads, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		join_thread(threads[i]);
}

#define PARAMETERS	"/sys/module/profil/parameters/"
#define ENABLED		PARAMETERS "enabled"
#define MAX_PROFILES	PARAMETERS "max_profiles"
#define MAX_REGIONS	PARAMETERS "max_regions"

/* Root without it has a limit of profiles, like any user. */
static inline void drop_cap_sys_resource(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];

	CHECK_CALL((int)syscall(SYS_capget, &head, caps));
	caps[0].effective &= ~(1U << CAP_SYS_RESOURCE);
	caps[0].permitted &= ~(1U << CAP_SYS_RESOURCE);
	CHECK_CALL((int)syscall(SYS_capset, &head, caps));
}

/* Whatever becomes of fn(), the module's parameter is again what it was. */
static inline void with_parameter(const char *path, const char *value, void (*fn)(void))
{
	char was[16];
	pid_t pid;

	NEEDS_ROOT();
	CHECK_CALL(read_file(path, was, sizeof(was)));
	CHECK_CALL(write_file(path, value));
	pid = FORK();
	if (pid == 0) {
		drop_cap_sys_resource();
		fn();
		_exit(0);
	}
	waitid(P_PID, (id_t)pid, &(siginfo_t) {}, WEXITED | WNOWAIT);
	CHECK_CALL(write_file(path, was));
	wait_ok(pid);
}

/* TEST(), while a parameter has this value. */
#define TEST_WITH(path, value, fn)					\
	static void fn##_with(void);					\
	TEST(fn)							\
	{								\
		with_parameter(path, value, fn##_with);			\
	}								\
	static void fn##_with(void)

#endif /* SELFTESTS_SETUP_H */

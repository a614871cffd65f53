/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first and last steps of most tests. If one of them fails, the test fails. */
#ifndef SELFTESTS_SETUP_H
#define SELFTESTS_SETUP_H

#include <pthread.h>
#include <linux/capability.h>
#include <sys/syscall.h>

#include "harness.h"
#include "device.h"
#include "work.h"

#define PAGE	4096UL

/* Zeroed memory. Fork children have copies of private memory, and share the other. */
static inline void *private_memory(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(mem != MAP_FAILED);
	return mem;
}

static inline void *shared_memory(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(mem != MAP_FAILED);
	return mem;
}

/* Initializers of requests, for one region or an array; then other fields. */
#define HISTOGRAM(region, frequency, ...) {				\
	.size = sizeof(struct profil_histogram),			\
	.regions = (uintptr_t)(region),					\
	.nregions = 1,							\
	.region_size = sizeof(struct profil_region),			\
	.rate = (frequency), __VA_ARGS__				\
}

#define SAMPLES(array, n, bytes, frequency, ...) {			\
	.size = sizeof(struct profil_samples),				\
	.buf = (uintptr_t)(array),					\
	.nsamples = (n),						\
	.width = (bytes),						\
	.rate = (frequency), __VA_ARGS__				\
}

static inline struct profil_status status(void)
{
	struct profil_status st;

	CHECK_EQ(get_status(&st), 0);
	return st;
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

static inline void end_by_force(pid_t pid)
{
	CHECK_CALL(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
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

static inline void some_b(void)
{
	hot_b(10000);
}

static inline void start_threads(pthread_t *threads, unsigned int n,
				 void *(*fn)(void *), void *arg)
{
	for (unsigned int i = 0; i < n; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, fn, arg), 0);
}

static inline void join_threads(const pthread_t *threads, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

#define PARAMETERS	"/sys/module/profil/parameters/"

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
	siginfo_t info;
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
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	CHECK_CALL(write_file(path, was));
	wait_ok(pid);
}

#endif /* SELFTESTS_SETUP_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The test harness of all programs that run in a guest. A program is a list of
 * TEST()s, run in the order of the file, each in a forked child that leads its
 * own process group and has a time limit; what is left of the group is killed
 * afterwards. Output is KTAP: a version line, the plan, and one line per test
 * after its diagnostics.
 *
 * A failing CHECK_*() prints file, line, expression and values, and ends the
 * test at once; it may be called from any thread and from forked children,
 * whose exit status the test checks with wait_ok(). SKIP() ends the test with
 * its reason.
 *
 *	PROGRAM			run every test
 *	PROGRAM TEXT...		run the tests whose names contain one of TEXT
 *	PROGRAM --list		print the names
 *	PROGRAM --role NAME	what the tests exec: run a ROLE()
 *
 * Environment: SLOWNESS=N, the kernel is N times slower than usual: tests get N times
 * as long, and those that repeat something thousands of times do so less often.
 * Exit status: 0 no test failed, 1 one did, 4 all were skipped.
 *
 * With HARNESS_BARE this header includes nothing: for tests that are source as
 * other systems have it, and get these systems' headers only.
 */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#ifndef HARNESS_BARE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

#define HARNESS_FAIL	1
#define HARNESS_SKIP	4

/* Bytes of a page of all machines that have guests. */
#define PAGE		4096UL

/*
 * Seconds; generous, for CPUs that are emulated on a machine that has other
 * work, too. A hang is what it is there to end.
 */
#define HARNESS_TIMEOUT	300

struct harness_test {
	const char *name;
	void (*run)(void);
	unsigned int seconds;
	struct harness_test *next;
};

struct harness_role {
	const char *name;
	int (*run)(int argc, char **argv);
	struct harness_role *next;
};

void harness_add_test(struct harness_test *test);
void harness_add_role(struct harness_role *role);

#define HARNESS_TEST(fn, limit)						\
	static void fn(void);						\
	static struct harness_test harness_test_##fn = {		\
		.name = #fn, .run = fn, .seconds = (limit),		\
	};								\
	__attribute__((constructor)) static void harness_add_##fn(void)	\
	{								\
		harness_add_test(&harness_test_##fn);			\
	}								\
	static void fn(void)

/* TEST(name_that_says_the_behaviour) { ... } */
#define TEST(fn)		HARNESS_TEST(fn, HARNESS_TIMEOUT)

/* A test of a table: one call, whose arguments are what differs. */
#define CASE(fn, call)							\
	TEST(fn)							\
	{								\
		call;							\
	}

/* ROLE(name) { ... return exit_status; }, with argc and argv. */
#define ROLE(fn)							\
	static int role_##fn(int argc, char **argv);			\
	static struct harness_role harness_role_##fn = {		\
		.name = #fn, .run = role_##fn,				\
	};								\
	__attribute__((constructor)) static void harness_role_add_##fn(void) \
	{								\
		harness_add_role(&harness_role_##fn);			\
	}								\
	static int role_##fn(int argc __attribute__((unused)),		\
			     char **argv __attribute__((unused)))

/* A program may have one: called in each test's process, and each role's, first. */
void harness_setup(void) __attribute__((weak));

/* Of the environment: 1 or more. */
unsigned int slowness(void);

/* A line of explanation in the output. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

__attribute__((noreturn)) void harness_skip(const char *why);
__attribute__((noreturn, format(printf, 3, 4)))
void harness_fail(const char *file, int line, const char *format, ...);
const char *harness_strerror(int error);
int *harness_errno(void);

#define SKIP(why)		harness_skip(why)

#define FAIL(...)		harness_fail(__FILE__, __LINE__, __VA_ARGS__)

#define CHECK(cond) do {						\
	if (!(cond))							\
		FAIL("%s is false", #cond);				\
} while (0)

#define HARNESS_COMPARE(a, op, b) do {					\
	long long left_ = (long long)(a);				\
	long long right_ = (long long)(b);				\
									\
	if (!(left_ op right_))						\
		FAIL("%s %s %s: %lld (%#llx) against %lld (%#llx)",	\
		     #a, #op, #b, left_, (unsigned long long)left_,	\
		     right_, (unsigned long long)right_);		\
} while (0)

#define CHECK_EQ(a, b)		HARNESS_COMPARE(a, ==, b)
#define CHECK_NE(a, b)		HARNESS_COMPARE(a, !=, b)
#define CHECK_LT(a, b)		HARNESS_COMPARE(a, <, b)
#define CHECK_LE(a, b)		HARNESS_COMPARE(a, <=, b)
#define CHECK_GT(a, b)		HARNESS_COMPARE(a, >, b)
#define CHECK_GE(a, b)		HARNESS_COMPARE(a, >=, b)

/* |a - b| <= tolerance, in floating point. */
#define CHECK_NEAR(a, b, tolerance) do {				\
	double left_ = (double)(a);					\
	double right_ = (double)(b);					\
	double most_ = (double)(tolerance);				\
	double off_ = left_ > right_ ? left_ - right_ : right_ - left_;	\
									\
	if (!(off_ <= most_))						\
		FAIL("%s is not within %s of %s: %.3f, %.3f, %.3f",	\
		     #a, #tolerance, #b, left_, most_, right_);		\
} while (0)

/* A call that returns -1 and errno; yields its value. */
#define CHECK_CALL(call) (__extension__ ({				\
	__typeof__(call) value_ = (call);				\
									\
	if (value_ == (__typeof__(call))-1)				\
		FAIL("%s: %s", #call, harness_strerror(*harness_errno())); \
	value_;								\
}))

/* A call that must return -1 with this errno. */
#define CHECK_FAILS(call, error) do {					\
	*harness_errno() = 0;						\
	long long value_ = (long long)(call);				\
	int errno_ = *harness_errno();					\
									\
	if (value_ != -1)						\
		FAIL("%s: %lld, wanted -1 and %s", #call, value_, #error); \
	if (errno_ != (error))						\
		FAIL("%s: %s, wanted %s", #call, harness_strerror(errno_), #error); \
} while (0)

/* fork(), or the test fails. */
#define FORK()			CHECK_CALL(fork())

/* The child (-1: the next to end) exited with 0: its own checks all held. */
#define wait_ok(pid)		harness_wait_ok(pid, __FILE__, __LINE__)
void harness_wait_ok(int pid, const char *file, int line);

#endif /* TESTS_HARNESS_H */

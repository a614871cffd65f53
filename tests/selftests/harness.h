/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A small test harness. A program is a list of TEST()s, run in the order of
 * the file, each in a forked child that leads its own process group and has a
 * time limit; what is left of the group is killed afterwards. Output is KTAP:
 * a version line, the plan, and one line per test after its diagnostics.
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
 * Environment: SLOW=1 runs the slow tests too; TIMES=1 says how long each took;
 * SLOWNESS=N, the kernel is N times slower than usual: tests get N times as
 * long, and those that repeat something thousands of times do so less often.
 * Exit status: 0 no test failed, 1 one did, 4 all were skipped.
 */
#ifndef SELFTESTS_HARNESS_H
#define SELFTESTS_HARNESS_H

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HARNESS_FAIL	1
#define HARNESS_SKIP	4

/*
 * Seconds; generous, for CPUs that are emulated on a machine that has other
 * work, too. A hang is what it is there to end.
 */
#define HARNESS_TIMEOUT	300

static inline unsigned int slowness(void)
{
	const char *value = getenv("SLOWNESS");
	unsigned int factor = value ? (unsigned int)strtoul(value, NULL, 10) : 1;

	return factor ? factor : 1;
}

struct harness_test {
	const char *name;
	void (*run)(void);
	unsigned int seconds;
	bool slow;
	struct harness_test *next;
};

struct harness_role {
	const char *name;
	int (*run)(int argc, char **argv);
	struct harness_role *next;
};

/* Shared with the test's processes: why it was skipped. */
struct harness_shared {
	char skip[256];
};

static struct harness_test *harness_tests, **harness_tail = &harness_tests;
static struct harness_role *harness_roles;
static struct harness_shared *harness_shared;

static inline void harness_add_test(struct harness_test *test)
{
	*harness_tail = test;
	harness_tail = &test->next;
}

static inline void harness_add_role(struct harness_role *role)
{
	role->next = harness_roles;
	harness_roles = role;
}

#define HARNESS_TEST(fn, limit, is_slow)				\
	static void fn(void);						\
	static struct harness_test harness_test_##fn = {		\
		.name = #fn, .run = fn, .seconds = (limit),		\
		.slow = (is_slow),					\
	};								\
	__attribute__((constructor)) static void harness_add_##fn(void)	\
	{								\
		harness_add_test(&harness_test_##fn);			\
	}								\
	static void fn(void)

/* TEST(name_that_says_the_behaviour) { ... } */
#define TEST(fn)		HARNESS_TEST(fn, HARNESS_TIMEOUT, false)

/* Only with SLOW=1 in the environment, and with more time. */
#define TEST_SLOW(fn)		HARNESS_TEST(fn, 10 * HARNESS_TIMEOUT, true)

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

static inline __attribute__((format(printf, 1, 2))) void note(const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* One write: threads and children share the stream. */
	dprintf(STDOUT_FILENO, "# %s\n", line);
}

__attribute__((noreturn)) static inline void harness_skip(const char *why)
{
	snprintf(harness_shared->skip, sizeof(harness_shared->skip), "%s", why);
	_exit(HARNESS_SKIP);
}

#define SKIP(why)		harness_skip(why)

#define FAIL(...)		harness_fail(__FILE__, __LINE__, __VA_ARGS__)

__attribute__((noreturn, format(printf, 3, 4))) static inline void
harness_fail(const char *file, int line, const char *format, ...)
{
	char text[900];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	note("%s:%d: %s", file, line, text);
	_exit(HARNESS_FAIL);
}

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
		FAIL("%s: %s", #call, strerror(errno));			\
	value_;								\
}))

/* A call that must return -1 with this errno. */
#define CHECK_FAILS(call, error) do {					\
	errno = 0;							\
	long long value_ = (long long)(call);				\
	int errno_ = errno;						\
									\
	if (value_ != -1)						\
		FAIL("%s: %lld, wanted -1 and %s", #call, value_, #error); \
	if (errno_ != (error))						\
		FAIL("%s: %s, wanted %s", #call, strerror(errno_), #error); \
} while (0)

/* fork(), or the test fails. */
#define FORK()			CHECK_CALL(fork())

/* The child (-1: the next to end) exited with 0: its own checks all held. */
#define wait_ok(pid)		harness_wait_ok(pid, __FILE__, __LINE__)

static inline void harness_wait_ok(pid_t pid, const char *file, int line)
{
	int status;

	pid = waitpid(pid, &status, 0);
	if (pid < 0) {
		note("%s:%d: waitpid: %s", file, line, strerror(errno));
		_exit(HARNESS_FAIL);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == HARNESS_SKIP &&
	    harness_shared->skip[0])
		_exit(HARNESS_SKIP);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	if (WIFSIGNALED(status))
		note("%s:%d: the child was killed by signal %d (%s)", file, line,
		     WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		note("%s:%d: the child exited with status %d", file, line,
		     WEXITSTATUS(status));
	_exit(HARNESS_FAIL);
}

/* Waits for SIGCHLD, which is blocked; false when the time is over. */
static inline bool harness_wait(pid_t pid, unsigned int seconds, int *status)
{
	struct timespec now, end;
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	for (;;) {
		struct timespec left = { .tv_sec = 1 };

		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > end.tv_sec ||
		    (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec))
			return false;
		/*
		 * Bounded by the test's time, and seldom: a test counts what
		 * an idle CPU is woken for, and this process may be on it.
		 */
		sigtimedwait(&chld, NULL, &left);
	}
}

static inline pid_t harness_start(const struct harness_test *test,
				  const sigset_t *mask)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		sigprocmask(SIG_SETMASK, mask, NULL);
		test->run();
		_exit(0);
	}
	if (pid > 0)
		setpgid(pid, pid);
	return pid;
}

/* Runs one test in a child: 0, HARNESS_FAIL or HARNESS_SKIP. */
static inline int harness_run(const struct harness_test *test)
{
	unsigned int seconds = test->seconds * slowness();
	sigset_t chld, mask;
	int status = 0;
	bool ended;
	pid_t pid;

	harness_shared->skip[0] = '\0';
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, &mask);
	pid = harness_start(test, &mask);
	if (pid < 0) {
		note("fork: %s", strerror(errno));
		return HARNESS_FAIL;
	}
	ended = harness_wait(pid, seconds, &status);
	kill(-pid, SIGKILL);
	if (!ended) {
		waitpid(pid, &status, 0);
		note("%s did not end within %u s", test->name, seconds);
		status = HARNESS_FAIL << 8;
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (WIFSIGNALED(status)) {
		note("%s was killed by signal %d (%s)", test->name,
		     WTERMSIG(status), strsignal(WTERMSIG(status)));
		return HARNESS_FAIL;
	}
	if (WEXITSTATUS(status) == HARNESS_SKIP && harness_shared->skip[0])
		return HARNESS_SKIP;
	return WEXITSTATUS(status) ? HARNESS_FAIL : 0;
}

static inline int harness_report(const struct harness_test *test,
				 unsigned int number)
{
	struct timespec start, end;
	int result;

	clock_gettime(CLOCK_MONOTONIC, &start);
	if (test->slow && !getenv("SLOW")) {
		snprintf(harness_shared->skip, sizeof(harness_shared->skip),
			 "needs SLOW=1");
		result = HARNESS_SKIP;
	} else {
		result = harness_run(test);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (getenv("TIMES"))
		note("%.2f s", (double)(end.tv_sec - start.tv_sec) +
		     (double)(end.tv_nsec - start.tv_nsec) / 1e9);
	printf("%sok %u %s%s%s\n", result == HARNESS_FAIL ? "not " : "", number,
	       test->name, result == HARNESS_SKIP ? " # SKIP " : "",
	       result == HARNESS_SKIP ? harness_shared->skip : "");
	fflush(stdout);
	return result;
}

static inline bool harness_selected(const struct harness_test *test, int argc,
				    char **argv)
{
	if (argc < 2)
		return true;
	for (int i = 1; i < argc; i++)
		if (strstr(test->name, argv[i]))
			return true;
	return false;
}

static inline int harness_run_all(int argc, char **argv)
{
	unsigned int planned = 0, number = 0, failed = 0, skipped = 0;

	for (struct harness_test *t = harness_tests; t; t = t->next)
		planned += harness_selected(t, argc, argv);
	printf("KTAP version 1\n1..%u\n", planned);
	fflush(stdout);
	for (struct harness_test *t = harness_tests; t; t = t->next) {
		int result;

		if (!harness_selected(t, argc, argv))
			continue;
		result = harness_report(t, ++number);
		failed += result == HARNESS_FAIL;
		skipped += result == HARNESS_SKIP;
	}
	if (failed || planned == 0)
		return HARNESS_FAIL;
	return skipped == planned ? HARNESS_SKIP : 0;
}

static inline int harness_run_role(int argc, char **argv)
{
	for (struct harness_role *r = harness_roles; r; r = r->next)
		if (strcmp(r->name, argv[2]) == 0)
			return r->run(argc - 2, argv + 2);
	note("no role %s", argv[2]);
	return HARNESS_FAIL;
}

int main(int argc, char **argv)
{
	harness_shared = mmap(NULL, sizeof(*harness_shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (harness_shared == MAP_FAILED)
		return HARNESS_FAIL;
	if (argc > 2 && strcmp(argv[1], "--role") == 0)
		return harness_run_role(argc, argv);
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (struct harness_test *t = harness_tests; t; t = t->next)
			puts(t->name);
		return 0;
	}
	return harness_run_all(argc, argv);
}

#endif /* SELFTESTS_HARNESS_H */

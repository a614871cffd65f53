// SPDX-License-Identifier: LGPL-2.1-or-later
/* See harness.h. */
#include <stdarg.h>

#include "harness.h"

/* Shared with the test's processes: why it was skipped. */
struct harness_shared {
	char skip[256];
};

static struct harness_test *harness_tests, **harness_tail = &harness_tests;
static struct harness_role *harness_roles;
static struct harness_shared *harness_shared;

void harness_add_test(struct harness_test *test)
{
	*harness_tail = test;
	harness_tail = &test->next;
}

void harness_add_role(struct harness_role *role)
{
	role->next = harness_roles;
	harness_roles = role;
}

unsigned int slowness(void)
{
	const char *value = getenv("SLOWNESS");
	unsigned int factor = value ? (unsigned int)strtoul(value, NULL, 10) : 1;

	return factor ? factor : 1;
}

void note(const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* One write: threads and children share the stream. */
	dprintf(STDOUT_FILENO, "# %s\n", line);
}

void harness_skip(const char *why)
{
	snprintf(harness_shared->skip, sizeof(harness_shared->skip), "%s", why);
	_exit(HARNESS_SKIP);
}

void harness_fail(const char *file, int line, const char *format, ...)
{
	char text[900];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	note("%s:%d: %s", file, line, text);
	_exit(HARNESS_FAIL);
}

const char *harness_strerror(int error)
{
	return strerror(error);
}

int *harness_errno(void)
{
	return &errno;
}

void harness_wait_ok(int pid, const char *file, int line)
{
	int status;

	pid = waitpid(pid, &status, 0);
	if (pid < 0)
		harness_fail(file, line, "waitpid: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == HARNESS_SKIP && harness_shared->skip[0])
		_exit(HARNESS_SKIP);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	if (WIFSIGNALED(status))
		harness_fail(file, line, "the child was killed by signal %d (%s)",
			     WTERMSIG(status), strsignal(WTERMSIG(status)));
	harness_fail(file, line, "the child exited with status %d", WEXITSTATUS(status));
}

/* Waits for SIGCHLD, which is blocked; false when the time is over. */
static bool harness_wait(pid_t pid, unsigned int seconds, int *status)
{
	struct timespec second = { .tv_sec = 1 }, now, end;
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	for (;;) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > end.tv_sec)
			return false;
		/*
		 * Bounded by the test's time, and seldom: a test counts what
		 * an idle CPU is woken for, and this process may be on it.
		 */
		sigtimedwait(&chld, NULL, &second);
	}
}

static pid_t harness_start(const struct harness_test *test, const sigset_t *mask)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		sigprocmask(SIG_SETMASK, mask, NULL);
		if (harness_setup)
			harness_setup();
		test->run();
		_exit(0);
	}
	if (pid > 0)
		setpgid(pid, pid);
	return pid;
}

/* Runs one test in a child: 0, HARNESS_FAIL or HARNESS_SKIP. */
static int harness_run(const struct harness_test *test)
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

static int harness_report(const struct harness_test *test, unsigned int number)
{
	int result = harness_run(test);

	printf("%sok %u %s%s%s\n", result == HARNESS_FAIL ? "not " : "", number,
	       test->name, result == HARNESS_SKIP ? " # SKIP " : "",
	       result == HARNESS_SKIP ? harness_shared->skip : "");
	fflush(stdout);
	return result;
}

static bool harness_selected(const struct harness_test *test, int argc, char **argv)
{
	if (argc < 2)
		return true;
	for (int i = 1; i < argc; i++)
		if (strstr(test->name, argv[i]))
			return true;
	return false;
}

static int harness_run_all(int argc, char **argv)
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

static int harness_run_role(int argc, char **argv)
{
	if (harness_setup)
		harness_setup();
	for (struct harness_role *r = harness_roles; r; r = r->next)
		if (strcmp(r->name, argv[2]) == 0)
			return r->run(argc - 2, argv + 2);
	note("no role %s", argv[2]);
	return HARNESS_FAIL;
}

/* A program without TEST()s has its own. */
__attribute__((weak)) int main(int argc, char **argv)
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

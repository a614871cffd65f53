// SPDX-License-Identifier: LGPL-2.1-or-later
/* See harness.h. Only this file knows that the system is Linux. */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <libprofil.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"

/* Seconds a test may take; a hang is what it is there to end. */
static unsigned int timeout = 30;
/*
 * Nanoseconds that a stay may be too short: it begins a little after a tick and
 * ends with one, the nearest to its time and not the next.
 */
#define TICK_NEAR	900000
/* The status of a process that has met a pc that its machine does not have. */
#define NO_SUCH_PC	4
/* Milliseconds of CPU time in which n ticks must come, and some to spare. */
#define PATIENCE(n)	(30 * (n) + 200)

static struct test *tests, **tests_tail = &tests;
static struct role *roles;
static const char *self;

void harness_add_test(struct test *test)
{
	*tests_tail = test;
	tests_tail = &test->next;
}

void harness_add_role(struct role *role)
{
	role->next = roles;
	roles = role;
}

/* --- verdicts ------------------------------------------------------------- */

void note(const char *format, ...)
{
	char line[900];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* One write: threads and children share the stream. */
	dprintf(STDOUT_FILENO, "# %s\n", line);
}

void harness_failed(const char *file, int line, const char *what)
{
	note("%s:%d: not so: %s", file, line, what);
	_exit(1);
}

void harness_equal(const char *file, int line, const char *what,
		   long long got, long long want)
{
	if (got == want)
		return;
	note("%s:%d: %s is %lld (%#llx), not %lld", file, line, what, got,
	     (unsigned long long)got, want);
	_exit(1);
}

void harness_near(const char *file, int line, const char *what,
		  long long got, long long want, long long off)
{
	if (got >= want - off && got <= want + off)
		return;
	note("%s:%d: %s is %lld, not %lld +- %lld", file, line, what, got,
	     want, off);
	_exit(1);
}

int *harness_errno(void)
{
	return &errno;
}

/* --- the profile, as the device reports it ------------------------------- */

static struct profil_status profile(void)
{
	struct profil_status status = { .size = sizeof(status) };

	if (profil_get_status(&status) < 0)
		memset(&status, 0, sizeof(status));
	return status;
}

int profile_is_on(void)
{
	return profile().state == PROFIL_STATE_ON;
}

long profile_ticks(void)
{
	return (long)profile().ticks;
}

/* --- time at a pc --------------------------------------------------------- */

/* Instead of a number of ticks. */
#define NO_MATTER	UINT64_MAX
#define UNTIL_OFF	(UINT64_MAX - 1)

/*
 * What a thread waits for. The handler of its own CPU-time timer, which
 * expires with each tick, takes it out of the loop at lo when that has come.
 */
struct stay {
	uintptr_t	lo, hi;
	uint64_t	until_ticks;
	int64_t		until_ns;
	bool		late;		/* the time was up before the ticks came */
};

static __thread struct stay stay;

__asm__(".text\n.local stay_return\nstay_return:\n\tret\n");
extern void stay_return(void) __attribute__((visibility("hidden")));

static int64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Ticks that are still to be written by the kernel's worker do not count. */
static bool ticks_came(void)
{
	struct profil_status now;

	if (stay.until_ticks == NO_MATTER)
		return false;
	now = profile();
	if (stay.until_ticks == UNTIL_OFF)
		return now.state != PROFIL_STATE_ON;
	return now.counted + now.outside + now.dropped >= stay.until_ticks;
}

static bool stayed(void)
{
	if (ticks_came())
		return true;
	if (thread_ns() < stay.until_ns)
		return false;
	stay.late = stay.until_ticks != NO_MATTER;
	return true;
}

static void on_timer(int signal, siginfo_t *info, void *context)
{
	uintptr_t pc = context_pc(context);
	int before = errno;

	(void)signal;
	(void)info;
	if (pc >= stay.lo && pc < stay.hi && stayed())
		context_set_pc(context, (uintptr_t)stay_return);
	errno = before;
}

__attribute__((noreturn))
static void die(const char *what)
{
	note("%s: %s", what, strerror(errno));
	_exit(1);
}

static timer_t start_timer(void)
{
	struct sigevent event = {
		.sigev_notify	= SIGEV_THREAD_ID,
		.sigev_signo	= SIGRTMIN + 3,
	};
	struct sigaction action = {
		.sa_sigaction	= on_timer,
		.sa_flags	= SA_SIGINFO | SA_RESTART,
	};
	/* Shorter than a tick: it expires with each. */
	struct itimerspec each_tick = {
		.it_interval	= { .tv_nsec = 1000000 },
		.it_value	= { .tv_nsec = 1 },
	};
	timer_t timer;

	/* Other signals of the same tick come when the handler has returned. */
	sigfillset(&action.sa_mask);
	event._sigev_un._tid = gettid();
	if (sigaction(event.sigev_signo, &action, NULL) ||
	    timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) ||
	    timer_settime(timer, 0, &each_tick, NULL))
		die("timer");
	return timer;
}

/* Code at an address of our choice, if this machine can have it there. */
static void put_code(uintptr_t pc, const void *code, size_t size)
{
	uintptr_t page;

	if (pc % PC_STEP)
		_exit(NO_SUCH_PC);
	for (page = pc & ~(PAGE - 1); page < pc + size; page += PAGE)
		if (mmap((void *)page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			 -1, 0) == MAP_FAILED && errno != EEXIST)
			die("text");
	if (memcmp((void *)pc, code, size))
		memcpy((void *)pc, code, size);
	__builtin___clear_cache((char *)pc, (char *)pc + size);
}

/* The code at pc is called with these arguments. */
static void stay_at(uintptr_t pc, size_t size, uint64_t ticks, int ms,
		    long fd, void *buffer, size_t room)
{
	timer_t timer;

	stay = (struct stay){ .lo = pc, .hi = pc + size, .until_ticks = ticks,
			      .until_ns = thread_ns() + ms * 1000000LL -
					  TICK_NEAR };
	timer = start_timer();
	((void (*)(long, void *, size_t))pc)(fd, buffer, room);
	timer_delete(timer);
	stay.lo = stay.hi = 0;
}

static void loop_at(uintptr_t pc, uint64_t ticks, int ms)
{
	put_code(pc, jump_to_itself, sizeof(jump_to_itself));
	stay_at(pc, sizeof(jump_to_itself), ticks, ms, 0, NULL, 0);
}

void spin(unsigned long pc, int n)
{
	struct profil_status now = profile();

	loop_at(pc, now.ticks + (uint64_t)n, PATIENCE(n));
	if (!stay.late)
		return;
	note("%d ticks expected at %#lx did not come", n, pc);
	_exit(1);
}

void spin_until_off(unsigned long pc)
{
	if (!profile_is_on()) {
		note("the profile is off already");
		_exit(1);
	}
	loop_at(pc, UNTIL_OFF, PATIENCE(1));
	if (!stay.late)
		return;
	note("ticks at %#lx do not turn the profile off", pc);
	_exit(1);
}

int spend(unsigned long pc, int ms)
{
	int64_t start = thread_ns();

	loop_at(pc, NO_MATTER, ms);
	return (int)((thread_ns() - start + 500000) / 1000000);
}

void spend_in_kernel(unsigned long pc, int ms)
{
	static uint8_t zeros[1 << 20];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	uintptr_t start = pc - AFTER_CALL;

	put_code(start, read_for_ever, sizeof(read_for_ever));
	stay_at(start, sizeof(read_for_ever), NO_MATTER, ms, zero, zeros,
		sizeof(zeros));
	close(zero);
}

void idle(int ms)
{
	usleep((useconds_t)ms * 1000);
}

/* --- threads ---------------------------------------------------------------- */

static struct {
	pthread_barrier_t	go, done;
	uintptr_t		pc;
	int			ticks;
} worker;

static void *work(void *unused)
{
	for (;;) {
		pthread_barrier_wait(&worker.go);
		spin(worker.pc, worker.ticks);
		pthread_barrier_wait(&worker.done);
	}
	return unused;
}

void thread_start(void)
{
	pthread_t thread;

	pthread_barrier_init(&worker.go, NULL, 2);
	pthread_barrier_init(&worker.done, NULL, 2);
	errno = pthread_create(&thread, NULL, work, NULL);
	if (errno)
		die("thread");
}

void thread_spin(unsigned long pc, int n)
{
	worker.pc = pc;
	worker.ticks = n;
	pthread_barrier_wait(&worker.go);
	pthread_barrier_wait(&worker.done);
}

struct spending {
	uintptr_t	pc;
	int		ms;
};

static void *spend_thread(void *argument)
{
	const struct spending *spending = argument;

	spend(spending->pc, spending->ms);
	return NULL;
}

void spend_in_threads(unsigned long pc, int ms, int n)
{
	struct spending spending = { .pc = pc, .ms = ms };
	pthread_t thread[n];

	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, spend_thread, &spending))
			die("thread");
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

/* --- processes -------------------------------------------------------------- */

/* The process that runs the tests, each in a child. */
static pid_t harness;

/* A child that has met a pc that is none ends this process, too. */
static int status_of(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) != child)
		if (errno != EINTR)
			return -1;
	if (WIFSIGNALED(status))
		note("child killed by signal %d", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SUCH_PC &&
	    getpid() != harness)
		_exit(NO_SUCH_PC);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int in_child(void (*fn)(void))
{
	pid_t child = fork();

	if (child == 0) {
		fn();
		_exit(0);
	}
	return child > 0 && status_of(child) == 0;
}

static int call_and_exit(void *fn)
{
	(*(void (**)(void))fn)();
	_exit(0);
}

/* The parent waits and does nothing else meanwhile: not even its TLS is used. */
int in_sharing_process(void (*fn)(void))
{
	static char stack[1 << 18] __attribute__((aligned(16)));
	pid_t child = clone(call_and_exit, stack + sizeof(stack),
			    CLONE_VM | SIGCHLD, &fn);

	return child > 0 && status_of(child) == 0;
}

void become(const char *role, unsigned long argument)
{
	char text[32];

	snprintf(text, sizeof(text), "%#lx", argument);
	execl(self, self, "--role", role, text, (char *)NULL);
	_exit(127);
}

int in_program(const char *role, unsigned long argument)
{
	char text[32];
	pid_t child;

	snprintf(text, sizeof(text), "%#lx", argument);
	child = vfork();
	if (child == 0) {
		execl(self, self, "--role", role, text, (char *)NULL);
		_exit(127);
	}
	return child > 0 && status_of(child) == 0;
}

/* --- memory ----------------------------------------------------------------- */

static void *map_pages(unsigned long bytes, int flags)
{
	unsigned long whole = (bytes + PAGE - 1) & ~(PAGE - 1);
	char *map = mmap(NULL, whole + PAGE, PROT_READ | PROT_WRITE,
			 MAP_ANONYMOUS | flags, -1, 0);

	if (map == MAP_FAILED)
		die("memory");
	mprotect(map + whole, PAGE, PROT_NONE);
	return map;
}

void *pages(unsigned long bytes)
{
	return map_pages(bytes, MAP_PRIVATE);
}

void *shared_pages(unsigned long bytes)
{
	return map_pages(bytes, MAP_SHARED);
}

void unmap(void *address, unsigned long bytes)
{
	if (munmap(address, bytes))
		die("munmap");
}

void protect(void *address, unsigned long bytes)
{
	if (mprotect(address, bytes, PROT_READ))
		die("mprotect");
}

unsigned long sum(const void *counters, unsigned long n, int width)
{
	const uint8_t *bytes = counters;
	unsigned long total = 0;

	for (unsigned long i = 0; i < n; i++) {
		uint64_t counter = 0;

		memcpy(&counter, bytes + i * (unsigned long)width, (size_t)width);
		total += counter;
	}
	return total;
}

long which(void *counters, unsigned long n, int width)
{
	uint8_t *bytes = counters;
	long found = -1;

	for (unsigned long i = 0; i < n; i++) {
		uint64_t counter = 0;

		memcpy(&counter, bytes + i * (unsigned long)width, (size_t)width);
		if (counter > 1 || (counter && found >= 0))
			return -2;
		if (counter)
			found = (long)i;
	}
	if (found >= 0)
		bytes[found * width] = 0;
	return found;
}

int set_parameter(const char *name, const char *value)
{
	char path[200];
	int fd, result;

	snprintf(path, sizeof(path), "/sys/module/profil/parameters/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	result = write(fd, value, strlen(value)) < 0 ? -1 : 0;
	close(fd);
	return result;
}

/* --- running ---------------------------------------------------------------- */

static pid_t running;

static void on_alarm(int signal)
{
	(void)signal;
	kill(-running, SIGKILL);
}

/* Tests and roles begin just after a tick, and tests with the module as new. */
static void run_test(const struct test *test)
{
	setpgid(0, 0);
	set_parameter("restrict_fastprof", "0");
	spend(TEXT - PAGE, 1);
	test->run();
	_exit(0);
}

/* Its exit status. */
static int outcome(const struct test *test)
{
	int status;

	fflush(stdout);
	running = fork();
	if (running == 0)
		run_test(test);
	setpgid(running, running);
	alarm(timeout);
	status = status_of(running);
	alarm(0);
	kill(-running, SIGKILL);
	return status;
}

static bool wanted(const struct test *test, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (strstr(test->name, *names))
			return true;
	return false;
}

static int run_tests(char **names)
{
	int n = 0, failed = 0;

	for (const struct test *test = tests; test; test = test->next)
		n += wanted(test, names);
	printf("TAP version 13\n1..%d\n", n);
	n = 0;
	for (const struct test *test = tests; test; test = test->next) {
		int status;

		if (!wanted(test, names))
			continue;
		status = outcome(test);
		failed += status != 0 && status != NO_SUCH_PC;
		printf("%sok %d - %s%s\n",
		       status == 0 || status == NO_SUCH_PC ? "" : "not ", ++n,
		       test->name,
		       status == NO_SUCH_PC ? " # SKIP no such pc on this machine" : "");
	}
	return failed ? 1 : 0;
}

static int run_role(const char *name, const char *argument)
{
	spend(TEXT - PAGE, 1);
	for (const struct role *role = roles; role; role = role->next)
		if (!strcmp(role->name, name))
			return role->run(strtoul(argument, NULL, 0));
	note("no role %s", name);
	return 127;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_alarm };

	self = realpath("/proc/self/exe", NULL);
	if (argc == 4 && !strcmp(argv[1], "--role"))
		return run_role(argv[2], argv[3]);
	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (const struct test *test = tests; test; test = test->next)
			puts(test->name);
		return 0;
	}
	if (getenv("TIMEOUT"))
		timeout = (unsigned int)atoi(getenv("TIMEOUT"));
	sigaction(SIGALRM, &action, NULL);
	harness = getpid();
	return run_tests(argv + 1);
}

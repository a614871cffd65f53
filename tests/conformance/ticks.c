// SPDX-License-Identifier: LGPL-2.1-or-later
/* See ticks.h. Only this file knows that the system is Linux. */
#include <errno.h>
#include <fcntl.h>
#include <libprofil.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "instructions.h"
#include "ticks.h"

/*
 * Nanoseconds that a stay may be too short: it begins a little after a tick and
 * ends with one, the nearest to its time and not the next.
 */
#define TICK_NEAR	900000
/* Milliseconds of CPU time in which n ticks must come, and some to spare. */
#define PATIENCE(n)	(30 * (n) + 200)

/* --- the profile, as the device reports it ------------------------------- */

static struct profil_status profile(void)
{
	struct profil_status status;

	if (get_status(&status) != 0)
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
	ucontext_t *interrupted = context;
	uintptr_t pc = (uintptr_t)CONTEXT_PC(interrupted);
	int before = errno;

	(void)signal;
	(void)info;
	if (pc >= stay.lo && pc < stay.hi && stayed())
		CONTEXT_PC(interrupted) = (long)stay_return;
	errno = before;
}

static timer_t start_timer(void)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3,
	};
	struct sigaction action = {
		.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART,
	};
	/* Shorter than a tick: it expires with each. */
	struct itimerspec each_tick = {
		.it_interval = { .tv_nsec = 1000000 }, .it_value = { .tv_nsec = 1 },
	};
	timer_t timer;

	/* Other signals of the same tick come when the handler has returned. */
	sigfillset(&action.sa_mask);
	event._sigev_un._tid = gettid();
	if (sigaction(event.sigev_signo, &action, NULL) ||
	    timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) ||
	    timer_settime(timer, 0, &each_tick, NULL))
		FAIL("timer: %s", strerror(errno));
	return timer;
}

/* Code at an address of our choice, if this machine can have it there. */
static void put_code(uintptr_t pc, const void *code, size_t size)
{
	uintptr_t page;

	if (pc % PC_STEP)
		SKIP("no such pc on this machine");
	for (page = pc & ~(PAGE - 1); page < pc + size; page += PAGE)
		if (mmap((void *)page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			 -1, 0) == MAP_FAILED && errno != EEXIST)
			FAIL("text: %s", strerror(errno));
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
	if (stay.late)
		FAIL("%d ticks expected at %#lx did not come", n, pc);
}

void spin_until_off(unsigned long pc)
{
	if (!profile_is_on())
		FAIL("the profile is off already");
	loop_at(pc, UNTIL_OFF, PATIENCE(1));
	if (stay.late)
		FAIL("ticks at %#lx do not turn the profile off", pc);
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
	stay_at(start, sizeof(read_for_ever), NO_MATTER, ms, zero, zeros, sizeof(zeros));
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
		FAIL("thread: %s", strerror(errno));
}

void thread_spin(unsigned long pc, int n)
{
	worker.pc = pc;
	worker.ticks = n;
	pthread_barrier_wait(&worker.go);
	pthread_barrier_wait(&worker.done);
}

static struct {
	uintptr_t	pc;
	int		ms;
} spending;

static void *spend_thread(void *unused)
{
	spend(spending.pc, spending.ms);
	return unused;
}

void spend_in_threads(unsigned long pc, int ms, int n)
{
	pthread_t thread[n];

	spending.pc = pc;
	spending.ms = ms;
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, spend_thread, NULL))
			FAIL("thread: %s", strerror(errno));
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

/* --- processes -------------------------------------------------------------- */

void in_child(void (*fn)(void))
{
	pid_t child = FORK();

	if (child == 0) {
		fn();
		_exit(0);
	}
	wait_ok(child);
}

static int call_and_exit(void *fn)
{
	(*(void (**)(void))fn)();
	_exit(0);
}

/* The parent waits and does nothing else meanwhile: not even its TLS is used. */
void in_sharing_process(void (*fn)(void))
{
	static char stack[1 << 18] __attribute__((aligned(16)));

	wait_ok(CHECK_CALL(clone(call_and_exit, stack + sizeof(stack), CLONE_VM | SIGCHLD, &fn)));
}

void become(const char *role, unsigned long argument)
{
	char text[32];

	snprintf(text, sizeof(text), "%#lx", argument);
	execl("/proc/self/exe", "conformance", "--role", role, text, (char *)NULL);
	_exit(127);
}

unsigned long role_argument(char **argv)
{
	return strtoul(argv[1], NULL, 0);
}

ROLE(run_unprofiled)
{
	CHECK(!profile_is_on());
	spend(TEXT, IDLE_MS);
	CHECK_EQ(profile_ticks(), 0);
	return 0;
}

void exec_turns_off(void)
{
	pid_t child = CHECK_CALL(vfork());

	if (child == 0)
		become("run_unprofiled", 0);
	wait_ok(child);
	become("run_unprofiled", 0);
}

void counts_on_in_child_at(const void *counter, unsigned int width)
{
	pid_t child;

	spin(TEXT, 1);
	child = FORK();
	if (child == 0) {
		spin(TEXT, 2);
		CHECK_EQ(sum(counter, 1, width), 3);
		_exit(0);
	}
	wait_ok(child);
	spin(TEXT, 1);
	CHECK_EQ(sum(counter, 1, width), 2);
}

/* --- memory ----------------------------------------------------------------- */

static void *map_pages(unsigned long bytes, int flags)
{
	unsigned long whole = (bytes + PAGE - 1) & ~(PAGE - 1);
	char *map = mmap(NULL, whole + PAGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);

	if (map == MAP_FAILED)
		FAIL("memory: %s", strerror(errno));
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
		FAIL("munmap: %s", strerror(errno));
}

void protect(void *address, unsigned long bytes)
{
	if (mprotect(address, bytes, PROT_READ))
		FAIL("mprotect: %s", strerror(errno));
}

long which(void *counters, unsigned long n, unsigned int width)
{
	uint8_t *bytes = counters;
	long found = -1;

	for (unsigned long i = 0; i < n; i++) {
		uint64_t value = counter(bytes, i, width);

		if (value > 1 || (value && found >= 0))
			return -2;
		if (value)
			found = (long)i;
	}
	if (found >= 0)
		bytes[found * width] = 0;
	return found;
}

void check_hits(const char *file, int line, const struct hit *hits, unsigned long n)
{
	for (; n--; hits++) {
		long found;

		spin(hits->pc, 1);
		found = which(hits->counters, hits->n, hits->width);
		if (found != hits->index)
			harness_fail(file, line, "a tick at %#lx is counted in %ld, not in %ld",
				     hits->pc, found, hits->index);
	}
}

int set_parameter(const char *name, const char *value)
{
	char path[200];

	snprintf(path, sizeof(path), "/sys/module/profil/parameters/%s", name);
	return write_file(path, value);
}

/* Tests and roles begin just after a tick, and with the module as new. */
void harness_setup(void)
{
	set_parameter("restrict_fastprof", "0");
	spend(TEXT - PAGE, 1);
}

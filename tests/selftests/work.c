// SPDX-License-Identifier: LGPL-2.1-or-later
/* Functions whose addresses and CPU time tests know; see work.h. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

/* NAME() is the function's text. The linker defines both symbols for such a section. */
#define HOT(name)							\
	extern char __start_hot_##name[], __stop_hot_##name[];		\
	struct text name(void)						\
	{								\
		return (struct text) { (uintptr_t)__start_hot_##name,	\
				       (uintptr_t)__stop_hot_##name };	\
	}								\
	__attribute__((noinline, noclone, aligned(64), section("hot_" #name)))

HOT(text_a) void hot_a(unsigned long n)
{
	while (n--)
		__asm__ volatile("" : "+r" (n));
}

HOT(text_b) void hot_b(unsigned long n)
{
	while (n--)
		__asm__ volatile("" : "+r" (n));
}

#if defined(__x86_64__) || defined(__i386__)
#define JUMP	"jmp"
#elif defined(__aarch64__) || defined(__arm__)
#define JUMP	"b"
#else
#define JUMP	"j"
#endif

/*
 * An emulator takes interrupts between basic blocks only, so each of the
 * blocks that a tick is to find ends in a jump.
 */
HOT(text_wide) void hot_wide(unsigned long n)
{
	while (n--)
		__asm__ volatile(".balign 16\n"
				 ".rept 256\n"
				 JUMP " 1f\n"
				 ".balign 16\n"
				 "1:\n"
				 ".endr\n" : "+r" (n));
}

#define BY_REGISTERS(instruction, number, r0, r1, r2)	({				\
	register long nr_ __asm__(number) = nr;						\
	register long a_ __asm__(r0) = a, b_ __asm__(r1) = b, c_ __asm__(r2) = c;	\
	__asm__ volatile(instruction : "+r" (a_)					\
			 : "r" (nr_), "r" (b_), "r" (c_) : "memory");			\
	a_; })

/* Done here and not in libc, for the pc that the thread returns to. */
static inline __attribute__((always_inline)) long raw_syscall3(long nr, long a, long b, long c)
{
#if defined(__x86_64__)
	long ret;

	__asm__ volatile("syscall" : "=a" (ret) : "a" (nr), "D" (a), "S" (b), "d" (c)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__i386__)
	long ret;

	__asm__ volatile("int $0x80" : "=a" (ret) : "a" (nr), "b" (a), "c" (b), "d" (c) : "memory");
	return ret;
#elif defined(__aarch64__)
	return BY_REGISTERS("svc #0", "x8", "x0", "x1", "x2");
#elif defined(__arm__)
	return BY_REGISTERS("svc #0", "r7", "r0", "r1", "r2");
#elif defined(__riscv)
	return BY_REGISTERS("ecall", "a7", "a0", "a1", "a2");
#endif
}

static char random_bytes[4096];

HOT(text_syscall) void hot_syscall(unsigned long n)
{
	while (n--)
		raw_syscall3(SYS_getrandom, (long)random_bytes, sizeof(random_bytes), 0);
}

uint64_t ns_of(pthread_t thread)
{
	clockid_t clock;

	return pthread_getcpuclockid(thread, &clock) ? 0 : clock_ns(clock);
}

unsigned long work_per_ms(void)
{
	static unsigned long per_ms;
	unsigned long n = 100000;
	uint64_t ns = 0;

	/* Long enough for the ticks' own cost to be in it at its true share. */
	while (!per_ms && ns < 60000000) {
		n *= 2;
		ns = process_ns();
		hot_a(n);
		ns = process_ns() - ns;
	}
	if (!per_ms)
		per_ms = (unsigned long)((double)n * 1e6 / (double)ns);
	return per_ms;
}

bool work_until(uint64_t ticks, void (*once)(void))
{
	const volatile struct profil_status *status = page();
	uint64_t end = status->ticks + ticks;
	/* A guest on a busy machine is charged for time that it did not have. */
	uint64_t limit = thread_ns() + 10000000000U + 200 * ticks * status->period_ns;

	while (status->ticks < end) {
		for (int i = 0; i < 16; i++)
			once();
		if (thread_ns() > limit)
			return false;
	}
	return true;
}

bool has_ticks_in(void (*hot)(unsigned long n), unsigned long n)
{
	uint64_t ticks = page()->ticks;

	hot(n);
	return page()->ticks != ticks;
}

bool work_for_places(unsigned int n)
{
	uint64_t limit = thread_ns() + 10000000000U + 200 * n * page()->period_ns;

	while (n && thread_ns() < limit)
		n -= has_ticks_in(hot_a, 10000);
	return !n;
}

uint64_t contended(uint64_t ticks)
{
	return cpus() > 1 ? ticks : (ticks + 7) / 8;
}

static void some_a(void)
{
	hot_a(10000);
}

bool work_for_ticks(uint64_t n)
{
	return work_until(n, some_a);
}

static pthread_t workers[MOST_WORKERS];
static unsigned int nworkers;
static volatile bool workers_end;

static void *work_until_end(void *unused)
{
	/* Of the thread alone: who started it need not wait for its turn. */
	setpriority(PRIO_PROCESS, 0, 10);
	while (!workers_end)
		hot_a(5000);
	return unused;
}

void start_workers(unsigned int n)
{
	workers_end = false;
	for (nworkers = 0; nworkers < n; nworkers++)
		if (pthread_create(&workers[nworkers], NULL, work_until_end, NULL))
			abort();
}

void end_workers(void)
{
	workers_end = true;
	while (nworkers)
		pthread_join(workers[--nworkers], NULL);
}

uint64_t most_of(uint64_t ticks)
{
	return icount() ? ticks * 9 / 10 : ticks / 2;
}

bool icount(void)
{
	const char *value = getenv("ICOUNT");

	return value && strcmp(value, "1") == 0;
}

unsigned int cpus(void)
{
	return (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
}

bool work_while_on(void)
{
	for (int i = 0; i < 200000 && page()->state == PROFIL_STATE_ON; i++)
		hot_a(10000);
	return page()->state != PROFIL_STATE_ON;
}

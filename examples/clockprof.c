// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program that uses only libc: profil() from <unistd.h>. It does some work,
 * prints where the time went, and whether profiling used SIGPROF, as libc's own
 * profil() does:
 *
 *   clockprof
 *   LD_PRELOAD=libprofil.so.1 clockprof
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "symbols.h"

#define NOINLINE	__attribute__((noinline, noclone))
#define CPU_TIME	(2 * CLOCKS_PER_SEC)

static volatile sig_atomic_t called;

static void on_sigprof(int number)
{
	(void)number;
	called++;
}

/* Three quarters of the work. */
NOINLINE static unsigned int mix(unsigned int seed)
{
	for (int i = 0; i < 300000; i++)
		seed = seed * 1664525U + (seed >> 13) + 1013904223U;
	return seed;
}

/* One quarter of the work. */
NOINLINE static unsigned int fold(unsigned int seed)
{
	for (int i = 0; i < 100000; i++)
		seed = seed * 22695477U + (seed >> 11) + 1U;
	return seed;
}

/* Whether SIGPROF has another handler than this program's. */
static int handler_replaced(void)
{
	struct sigaction action;

	return sigaction(SIGPROF, NULL, &action) < 0 ||
	       action.sa_handler != on_sigprof;
}

static int timer_armed(void)
{
	struct itimerval timer;

	return getitimer(ITIMER_PROF, &timer) < 0 || timer.it_value.tv_sec ||
	       timer.it_value.tv_usec;
}

int main(void)
{
	uintptr_t start = (uintptr_t)__executable_start;
	size_t size = (uintptr_t)etext - start;
	unsigned short *counters = calloc(size / 2 + 1, sizeof(*counters));
	struct sigaction action = { .sa_handler = on_sigprof };
	/* Volatile: NULL stops profiling, but libc declares the argument nonnull. */
	unsigned short *volatile none = NULL;
	unsigned int seed = 1;
	int replaced, armed;

	if (!counters || sigaction(SIGPROF, &action, NULL) < 0)
		return 2;
	if (profil(counters, size, start, 0x10000) < 0) {
		perror("clockprof: profil");
		return 2;
	}
	while (clock() < CPU_TIME)
		seed = fold(mix(seed));
	replaced = handler_replaced();
	armed = timer_armed();
	if (profil(none, 0, 0, 0) < 0) {
		perror("clockprof: profil");
		return 2;
	}

	if (symbols_print(counters, size / 2, start) <= 0)
		return 1;
	printf("SIGPROF: this program's handler was %s, and called %d times\n",
	       replaced ? "replaced" : "kept", (int)called);
	printf("ITIMER_PROF: %s (result %08x)\n", armed ? "armed" : "not armed", seed);
	return 0;
}

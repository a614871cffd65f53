// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * load MILLIONS: a program to be profiled, of about so many millions of instructions,
 * in calls of 16 frames and some short ones. Prints the nanoseconds that these have
 * taken, and its own samples if it has any. Without MILLIONS it is silent. With TIMER defined it profiles itself, as
 * programs do that have a clock of their own: timer_create(), and a handler that
 * counts where it is.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

#ifndef TIMER
#define TIMER	0
#endif

#define FRAMES	12
#define TEXT	65536

extern char __executable_start;
static unsigned short counters[TEXT];
static unsigned int samples;
static volatile unsigned int sink;

static void count(int signo, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	uintptr_t pc;

	(void)signo;
	(void)info;
#ifdef __x86_64__
	pc = at->uc_mcontext.gregs[REG_RIP];
#else
	pc = at->uc_mcontext.pc;
#endif
	pc -= (uintptr_t)&__executable_start;
	if (pc / 2 < TEXT)
		counters[pc / 2]++;
	samples++;
}

static int start_timer(void)
{
	struct sigaction action = { .sa_sigaction = count,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGPROF };
	struct itimerspec each = { { 0, 1000000 }, { 0, 1000000 } };
	timer_t timer;

	return sigaction(SIGPROF, &action, NULL) ||
	       timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) ||
	       timer_settime(timer, 0, &each, NULL);
}

static __attribute__((noinline)) void leaf(unsigned int n)
{
	while (n--)
		sink += n;
}

/* 40,000 instructions, in leaves of 80. */
static __attribute__((noinline)) void deep(unsigned int frames)
{
	unsigned int i;

	if (frames) {
		deep(frames - 1);
		sink++;
		return;
	}
	for (i = 0; i < 500; i++)
		leaf(15);
}

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned long i, calls = argc > 1 ? strtoul(argv[1], NULL, 10) * 25 : 0;
	unsigned long long start;

	if (TIMER && start_timer()) {
		perror("timer");
		return 1;
	}
	deep(FRAMES);
	start = now();
	for (i = 0; i < calls; i++)
		deep(FRAMES);
	if (argc > 1)
		printf("%llu %u\n", now() - start, samples);
	return 0;
}

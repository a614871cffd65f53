// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a tick costs with threads of one process at work on so many CPUs at once:
 * lines as curves.c prints them. For a guest with that many CPUs, the clock of
 * which counts instructions: those of all CPUs, which QEMU emulates in turns. So no
 * CPU can see how long its own ticks are; but what has passed, and was no work, is
 * the ticks of all.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "method.h"

#define CPUS		8
#define TICK		4000000ULL
/* A window is as long as from tick to tick: each CPU has one. */
#define WINDOWS		64
#define ROUNDS		3
#define POINTS		4
/* A piece of work is shorter, and any tick is longer. */
#define HALF_A_TICK	1000

static const unsigned int points[POINTS] = { 1, 2, 4, CPUS };

/* Work that each CPU has done in each window, and after the last, in instructions. */
static uint32_t done[CPUS][WINDOWS + 1];
static uint64_t start, end;
static unsigned int ready;
static uint64_t piece_length;

static uint64_t now(void)
{
	return __builtin_ia32_rdtsc();
}

__attribute__((noinline)) static void piece(void)
{
	unsigned int i;

	for (i = 100; i; i--)
		__asm__ volatile("" : "+r" (i));
}

/*
 * A piece that begins in one window and ends in another. Where it has been
 * interrupted, or others had their turn, nobody knows how much of it was in which.
 */
__attribute__((noinline))
static void share(uint32_t *windows, uint64_t from, uint64_t to)
{
	unsigned int last = (to - start) / TICK;
	uint32_t part = piece_length / 2;

	if (to - from == piece_length)
		part = start + last * TICK - from;
	windows[(from - start) / TICK] += part;
	windows[last] += piece_length - part;
}

/* Returns the pieces. The same instructions, whatever it is for. */
__attribute__((noinline)) static uint64_t work(uint32_t *windows)
{
	uint64_t n, t, last = now();

	for (n = 0; last < end; n++, last = t) {
		piece();
		t = now();
		if ((last - start) / TICK == (t - start) / TICK)
			windows[(t - start) / TICK] += piece_length;
		else
			share(windows, last, t);
	}
	return n;
}

static uint64_t pieces_in(uint64_t time, uint64_t *took)
{
	uint64_t n;

	start = now();
	end = start + time;
	n = work(done[0]);
	*took = now() - start;
	return n;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Before there is anything else; the median, as ticks come between. */
static void learn_piece(void)
{
	enum { TRIES = 101 };
	static double length[TRIES];
	uint64_t few, many, took_few, took_many;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		few = pieces_in(20000, &took_few);
		many = pieces_in(60000, &took_many);
		length[i] = (double)(took_many - took_few) / (many - few);
	}
	qsort(length, TRIES, sizeof(length[0]), compare);
	piece_length = length[TRIES / 2];
	if (piece_length != length[TRIES / 4]) {
		fprintf(stderr, "The clock does not count instructions here.\n");
		exit(1);
	}
}

/* When a tick came. The other CPUs are idle. */
static uint64_t next_tick(void)
{
	uint64_t t, last;

	t = now();
	do {
		last = t;
		piece();
		t = now();
	} while (t - last < HALF_A_TICK);
	return t;
}

static void work_until_start(void)
{
	while (now() < __atomic_load_n(&start, __ATOMIC_SEQ_CST))
		piece();
}

/* Where nobody is in its way: no other thread, and nobody who balances. */
static void take_cpu(unsigned int cpu)
{
	struct sched_param first = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) ||
	    sched_setscheduler(0, SCHED_FIFO, &first))
		fail("a CPU of one's own");
}

static void leave_cpu(void)
{
	struct sched_param other = { 0 };

	if (sched_setscheduler(0, SCHED_OTHER, &other))
		fail("sched_setscheduler");
}

static void *use_cpu(void *cpu)
{
	uint32_t *windows = done[(uintptr_t)cpu];

	take_cpu((uintptr_t)cpu);
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	work_until_start();
	work(windows);
	return NULL;
}

/* What was no work, for each tick. */
static double took(unsigned int cpus)
{
	static struct gaps gaps;
	unsigned int cpu, i;

	gaps.n = 0;
	for (i = 0; i < WINDOWS; i++) {
		uint32_t rest = TICK;

		for (cpu = 0; cpu < cpus; cpu++)
			rest -= done[cpu][i];
		add_gap(&gaps, rest);
	}
	sort_gaps(&gaps);
	return middle(gaps.length, gaps.n) / cpus;
}

/*
 * All CPUs' ticks are due at once, and QEMU gives each CPU the same part of the time
 * from there to the next, an idle one's is nothing: each has its tick when its part
 * begins. Windows end when the last part of eight is half over.
 */
static double tick(unsigned int cpus)
{
	pthread_t thread[CPUS];
	unsigned int cpu;
	uint64_t at;

	memset(done, 0, sizeof(done));
	start = ~0ULL;
	ready = 1;
	take_cpu(0);
	at = next_tick() - TICK / CPUS / 2;
	for (cpu = 1; cpu < cpus; cpu++)
		if (pthread_create(&thread[cpu], NULL, use_cpu, (void *)(uintptr_t)cpu))
			fail("pthread_create");
	/* They begin on this CPU. */
	while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < cpus)
		sched_yield();
	while (at < now() + TICK)
		at += TICK;
	end = at + WINDOWS * TICK;
	__atomic_store_n(&start, at, __ATOMIC_SEQ_CST);
	work_until_start();
	work(done[0]);
	for (cpu = 1; cpu < cpus; cpu++)
		pthread_join(thread[cpu], NULL);
	leave_cpu();
	return took(cpus);
}

/* Longer than the hook stays without a user: see curves.c. */
static double counted(unsigned int cpus)
{
	double without, with;

	forget_profile();
	sleep(12);
	without = tick(cpus);
	start_regions(1);
	with = tick(cpus);
	stop_profile();
	return with - without;
}

int main(void)
{
	static double more[POINTS][ROUNDS];
	unsigned int i, round;

	setvbuf(stdout, NULL, _IOLBF, 0);
	take_cpu(0);
	learn_piece();
	leave_cpu();
	methods_open();
	counted(1);
	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < POINTS; i++)
			more[i][round] = counted(points[i]);
	for (i = 0; i < POINTS; i++) {
		qsort(more[i], ROUNDS, sizeof(more[i][0]), compare);
		printf("CPUs\t%u\t%.0f\n", points[i], more[i][ROUNDS / 2]);
	}
	methods_close();
	return 0;
}

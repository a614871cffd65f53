// SPDX-License-Identifier: LGPL-2.1-or-later
/* Interrupts, in instructions; see measure.h. */
#include <stdlib.h>
#include <time.h>

#include "measure.h"

/* 20 thousand instructions, in pieces of a quarter second altogether. */
#define WORK_LOOPS	10000
#define WORK_PIECES	12500
/* What is longer by less is not an interrupt. */
#define SHORTEST	100
#define CALLS_MAX	1000

static uint64_t undisturbed;

#ifdef __x86_64__
static inline uint64_t now(void)
{
	return __builtin_ia32_rdtsc();
}
#else
static inline uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}
#endif

__attribute__((noinline)) void measure_work(void)
{
	unsigned long i;

	for (i = WORK_LOOPS; i; i--)
		__asm__ volatile("" : "+r" (i));
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Not inline, so that it is the same instructions wherever it is used. */
__attribute__((noinline)) static uint64_t piece(uint64_t *last)
{
	uint64_t t, took;

	measure_work();
	t = now();
	took = t - *last;
	*last = t;

	return took;
}

int measure_init(void)
{
	enum { PIECES = 2000 };
	static uint32_t took[PIECES];
	uint64_t last = now();
	int i, same = 0;

	for (i = 0; i < PIECES; i++)
		took[i] = piece(&last);
	qsort(took, PIECES, sizeof(took[0]), compare);
	undisturbed = took[PIECES / 2];
	for (i = 0; i < PIECES; i++)
		same += took[i] == undisturbed;

	return same > PIECES * 9 / 10 ? 0 : -1;
}

void add_gap(struct gaps *gaps, uint32_t length)
{
	if (gaps->n < MEASURE_MAX)
		gaps->length[gaps->n++] = length;
}

void sort_gaps(struct gaps *gaps)
{
	qsort(gaps->length, gaps->n, sizeof(gaps->length[0]), compare);
}

static uint64_t no_samples(void)
{
	return 0;
}

void measure_block(struct block *block, uint64_t (*samples)(void))
{
	uint64_t start, last, took, before, after;
	int i;

	if (!samples)
		samples = no_samples;
	block->sampled.n = 0;
	block->other.n = 0;
	before = samples();
	last = now();
	start = last;
	for (i = 0; i < WORK_PIECES; i++) {
		took = piece(&last);
		if (took < undisturbed + SHORTEST)
			continue;
		after = samples();
		add_gap(after != before ? &block->sampled : &block->other,
			took - undisturbed);
		before = after;
		last = now();
	}
	block->time = last - start;
	sort_gaps(&block->sampled);
	sort_gaps(&block->other);
}

uint32_t measure_sample(uint64_t (*samples)(void))
{
	uint64_t before = samples(), last = now(), took;

	for (;;) {
		took = piece(&last);
		if (took < undisturbed + SHORTEST)
			continue;
		if (samples() != before)
			return took - undisturbed;
		last = now();
	}
}

uint64_t measure_call(void (*do_it)(void), unsigned int calls)
{
	static uint32_t took[CALLS_MAX];
	unsigned int i;
	uint64_t start;

	if (calls > CALLS_MAX)
		calls = CALLS_MAX;
	for (i = 0; i < calls; i++) {
		start = now();
		do_it();
		took[i] = now() - start;
	}
	qsort(took, calls, sizeof(took[0]), compare);

	return took[calls / 2];
}

double middle(const uint32_t *number, unsigned int n)
{
	unsigned int i, first = n / 4, end = n - n / 4;
	double sum = 0;

	for (i = first; i < end; i++)
		sum += number[i];

	return n ? sum / (end - first) : 0;
}

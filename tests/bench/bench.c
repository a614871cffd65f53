// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What profiling costs, in instructions. See docs/performance.md.
 *
 * For a guest with one CPU whose clock counts instructions; "make bench" starts
 * one. A tick's cost is the difference between a typical tick with profiling
 * and a typical one without, both in the same boot and with the same work.
 * All of it is repeated, and the median of the repetitions is printed with the
 * lowest and the highest one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure.h"
#include "method.h"

#define REPEATS		3
#define METHODS_MAX	16
#define ON_OFF_CALLS	300

/* Longer than the module's hook stays armed without a user. */
#define SETTLE_SECONDS	3

/**
 * struct cost - of one repetition, in instructions.
 * @sample:  of a tick or interrupt that takes a sample.
 * @other:   of a tick that takes none.
 * @second:  of all of these, in a second of CPU time.
 * @samples: samples taken.
 */
struct cost {
	double sample;
	double other;
	double second;
	double samples;
};

static struct cost costs[METHODS_MAX][REPEATS];
static double plain_tick[REPEATS], unloaded_tick[REPEATS];
static double plain_block[REPEATS], unloaded_block[REPEATS];

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* By timers and hooks of what was measured before. */
static void settle(void)
{
	sleep(SETTLE_SECONDS);
}

/*
 * Which interrupts of a block took the samples: as many of the longest ones,
 * where a sample makes a tick longer; the shortest ones, where it is an
 * interrupt of its own, for which no tick would have come.
 */
static struct cost block_cost(const struct method *m, const struct gaps *gaps,
			      uint64_t time, uint64_t samples, double tick)
{
	unsigned int n = samples && samples < gaps->n ? samples : gaps->n;
	unsigned int rest = gaps->n - n;
	double seconds = time / 1e9;
	struct cost c = { .samples = samples };

	if (m->own_interrupt) {
		c.sample = middle(gaps->length, n);
		c.other = middle(gaps->length + n, rest) - tick;
	} else {
		c.sample = middle(gaps->length + rest, n) - tick;
		c.other = rest ? middle(gaps->length, rest) - tick : 0;
	}
	c.second = (n * c.sample + rest * c.other) / seconds;

	return c;
}

static double measure_plain(double *block)
{
	static struct gaps gaps;

	settle();
	*block = measure_block(&gaps);

	return middle(gaps.length, gaps.n);
}

static struct cost measure_method(const struct method *m, double tick)
{
	static struct gaps gaps;
	uint64_t time, samples;

	settle();
	m->start();
	time = measure_block(&gaps);
	samples = m->stop();

	return block_cost(m, &gaps, time, samples, tick);
}

static void repeat(int i)
{
	const struct method *m;

	plain_tick[i] = measure_plain(&plain_block[i]);
	for (m = methods; m->name; m++)
		costs[m - methods][i] = measure_method(m, plain_tick[i]);
}

/* --- what is printed ------------------------------------------------------------ */

static void print_range(double *number, int n)
{
	char range[40];

	qsort(number, n, sizeof(*number), compare);
	snprintf(range, sizeof(range), "(%.0f..%.0f)", number[0], number[n - 1]);
	printf(" %10.0f %18s", number[n / 2], range);
}

static void print_method(const struct method *m)
{
	const struct cost *c = costs[m - methods];
	double sample[REPEATS], other[REPEATS], second[REPEATS];
	double samples = 0;
	int i;

	for (i = 0; i < REPEATS; i++) {
		sample[i] = c[i].sample;
		other[i] = c[i].other;
		second[i] = c[i].second;
		samples += c[i].samples;
	}
	printf("%-38s", m->name);
	print_range(sample, REPEATS);
	qsort(other, REPEATS, sizeof(other[0]), compare);
	qsort(second, REPEATS, sizeof(second[0]), compare);
	if (other[REPEATS / 2] > 0)
		printf(" %10.0f", other[REPEATS / 2]);
	else
		printf(" %10s", "-");
	printf(" %10.0f %8.0f\n", second[REPEATS / 2], samples);
}

static void print_pair(const struct pair *p)
{
	double took[REPEATS];
	int i;

	if (p->prepare)
		p->prepare();
	p->on_off();
	for (i = 0; i < REPEATS; i++)
		took[i] = measure_call(p->on_off, ON_OFF_CALLS);
	if (p->finish)
		p->finish();

	printf("%-38s", p->name);
	print_range(took, REPEATS);
	printf("\n");
}

/*
 * What else the kernel does now and then makes a block longer, never shorter:
 * the shortest ones are compared.
 */
static void print_idle(void)
{
	double tick[REPEATS];
	int i;

	qsort(unloaded_tick, REPEATS, sizeof(unloaded_tick[0]), compare);
	qsort(unloaded_block, REPEATS, sizeof(unloaded_block[0]), compare);
	qsort(plain_block, REPEATS, sizeof(plain_block[0]), compare);
	for (i = 0; i < REPEATS; i++)
		tick[i] = plain_tick[i] - unloaded_tick[REPEATS / 2];

	printf("%-38s", "a tick, nothing registered");
	print_range(tick, REPEATS);
	printf("\n%-38s %10.1f\n", "work and ticks, in millionths",
	       (plain_block[0] / unloaded_block[0] - 1) * 1e6);
}

int main(void)
{
	const struct method *m;
	const struct pair *p;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (measure_init()) {
		fprintf(stderr, "The clock does not count instructions here: "
				"the same work takes different times.\n");
		return 1;
	}
	methods_open();

	for (i = 0; i < REPEATS; i++)
		repeat(i);

	printf("Instructions, as median (lowest..highest) of %d times\n\n", REPEATS);
	printf("%-38s", "a tick without profiling");
	print_range(plain_tick, REPEATS);
	printf("\n\n%-38s %10s %18s %10s %10s %8s\n", "profiling, in addition",
	       "per sample", "", "other tick", "per second", "samples");
	for (m = methods; m->name; m++)
		print_method(m);

	printf("\non and off again\n");
	for (p = pairs; p->name; p++)
		print_pair(p);

	printf("\nmodule loaded, compared with not loaded\n");
	methods_close();
	for (i = 0; i < REPEATS; i++)
		unloaded_tick[i] = measure_plain(&unloaded_block[i]);
	print_idle();

	return 0;
}

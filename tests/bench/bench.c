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
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure.h"
#include "method.h"

#define REPEATS		3
#define METHODS_MAX	16
#define ON_OFF_CALLS	300
#define IDLE_REPEATS	10

/* Longer than the module's hook stays armed without a user. */
#define SETTLE_SECONDS	3

/* What is measured of a method: instructions. */
enum figure {
	FIGURE_SAMPLE,	/* of a tick or interrupt that takes a sample */
	FIGURE_OTHER,	/* of a tick that takes none */
	FIGURE_SECOND,	/* of all of these, in a second of CPU time */
	FIGURES
};

struct cost {
	double of[FIGURES];
	bool known[FIGURES];
};

static struct cost costs[METHODS_MAX][REPEATS];
static double plain_tick[REPEATS];

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

static double typical(const struct gaps *gaps)
{
	return middle(gaps->length, gaps->n);
}

static void set_figure(struct cost *c, enum figure f, double value)
{
	c->of[f] = value;
	c->known[f] = true;
}

/* Without a sample, an interrupt of its own would not have come at all. */
static struct cost block_cost(const struct method *m, const struct block *b,
			      double tick)
{
	struct cost c = { 0 };

	if (b->sampled.n)
		set_figure(&c, FIGURE_SAMPLE, typical(&b->sampled) -
					      (m->own_interrupt ? 0 : tick));
	if (b->other.n)
		set_figure(&c, FIGURE_OTHER, typical(&b->other) - tick);
	set_figure(&c, FIGURE_SECOND, (b->sampled.n * c.of[FIGURE_SAMPLE] +
				       b->other.n * c.of[FIGURE_OTHER]) /
				      (b->time / 1e9));

	return c;
}

static double measure_plain(double *time)
{
	static struct block block;

	settle();
	measure_block(&block, NULL);
	*time = block.time;

	return typical(&block.other);
}

static struct cost measure_method(const struct method *m, double tick)
{
	static struct block block;

	settle();
	m->start();
	measure_block(&block, m->samples);
	m->stop();

	return block_cost(m, &block, tick);
}

static void repeat(int i)
{
	const struct method *m;
	double time;

	plain_tick[i] = measure_plain(&time);
	for (m = methods; m->name; m++)
		costs[m - methods][i] = measure_method(m, plain_tick[i]);
}

/* --- what is printed ------------------------------------------------------------ */

static void print_range(double *number, int n)
{
	char range[40];

	qsort(number, n, sizeof(*number), compare);
	snprintf(range, sizeof(range), "(%.0f..%.0f)", number[0], number[n - 1]);
	printf(" %10.0f %20s", number[n / 2], range);
}

static void print_figure(const struct cost *c, enum figure f)
{
	double number[REPEATS];
	int i;

	for (i = 0; i < REPEATS; i++)
		number[i] = c[i].of[f];
	if (c[0].known[f])
		print_range(number, REPEATS);
	else
		printf(" %10s %20s", "-", "");
}

static void print_method(const struct method *m)
{
	int f;

	printf("%-36s", m->name);
	for (f = 0; f < FIGURES; f++)
		print_figure(costs[m - methods], f);
	printf("\n");
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

	printf("%-36s", p->name);
	print_range(took, REPEATS);
	printf("\n");
}

/* Ticks and whole blocks while nothing is profiled. */
struct idle {
	double tick[IDLE_REPEATS];
	double time[IDLE_REPEATS];
};

static void measure_idle(struct idle *idle)
{
	int i;

	for (i = 0; i < IDLE_REPEATS; i++)
		idle->tick[i] = measure_plain(&idle->time[i]);
	qsort(idle->tick, IDLE_REPEATS, sizeof(idle->tick[0]), compare);
	qsort(idle->time, IDLE_REPEATS, sizeof(idle->time[0]), compare);
}

/*
 * What else the kernel does now and then makes a block longer, never shorter:
 * the shortest ones are compared.
 */
static void print_idle(struct idle *loaded, const struct idle *unloaded)
{
	int i;

	for (i = 0; i < IDLE_REPEATS; i++)
		loaded->tick[i] -= unloaded->tick[IDLE_REPEATS / 2];
	printf("%-36s", "a tick, nothing registered");
	print_range(loaded->tick, IDLE_REPEATS);
	printf("\n%-36s %10.1f\n", "work and ticks, in millionths",
	       (loaded->time[0] / unloaded->time[0] - 1) * 1e6);
}

static void print_all(void)
{
	const struct method *m;
	const struct pair *p;

	printf("Instructions, as median (lowest..highest) of %d times\n\n", REPEATS);
	printf("%-36s", "a tick without profiling");
	print_range(plain_tick, REPEATS);

	printf("\n\n%-36s %31s %31s %31s\n", "profiling, in addition",
	       "tick with a sample", "tick without one", "all, per second");
	for (m = methods; m->name; m++)
		print_method(m);

	printf("\non and off again\n");
	for (p = pairs; p->name; p++)
		print_pair(p);
}

int main(void)
{
	static struct idle loaded, unloaded;
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
	print_all();

	measure_idle(&loaded);
	methods_close();
	measure_idle(&unloaded);
	printf("\nmodule loaded, compared with not loaded\n");
	print_idle(&loaded, &unloaded);

	return 0;
}

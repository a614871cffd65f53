// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What profiling costs, in instructions. See docs/performance.md.
 *
 * For a guest with one CPU whose clock counts instructions; "make bench" starts
 * one. A tick's cost is the difference between a typical tick with profiling
 * and a typical one without, both in the same boot and with the same work.
 * All of it is repeated, and the median of the repetitions is printed with the
 * lowest and the highest one. At the end, in TAP, which of the aims are met.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/profil.h>

#include "measure.h"
#include "method.h"
#include "trace.h"

#define REPEATS		3
#define METHODS_MAX	16
#define ON_OFF_CALLS	300
#define SWITCH_CALLS	300
#define IDLE_REPEATS	10
#define ROUNDS		15

/* Longer than the module's hook stays armed without a user. */
#define SETTLE_SECONDS	12

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

/* Sorts them, too. */
static double median(double *number, int n)
{
	qsort(number, n, sizeof(*number), compare);

	return number[n / 2];
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

/* --- many regions beside one ----------------------------------------------------- */

static const unsigned int many_regions[] = { 64, 4096 };
#define MANY		(sizeof(many_regions) / sizeof(many_regions[0]))
static double more_regions[MANY][ROUNDS];

static double counted_tick(unsigned int regions)
{
	static struct block block;

	start_regions(regions);
	measure_block(&block, profile_samples);
	stop_profile();

	return typical(&block.sampled);
}

/*
 * In turns and without a pause: some kernels' ticks differ from one second to
 * the next by as much as what is looked for.
 */
static void measure_regions(void)
{
	unsigned int i, round;
	double one;

	settle();
	for (round = 0; round < ROUNDS; round++) {
		one = counted_tick(1);
		for (i = 0; i < MANY; i++)
			more_regions[i][round] = counted_tick(many_regions[i]) - one;
	}
}

/* --- stacks -------------------------------------------------------------------------- */

/* Of with_frames(); with what is below and above it, 16. */
#define FRAMES		7
#define STREAM_BYTES	(1 << 20)

static double stack_kept[ROUNDS], stack_cold[ROUNDS];
static double stack_size[ROUNDS];
static double stack_interrupt[ROUNDS];
static double stored_tick, one_tick, cold_tick, bytes_each, one_interrupt;

static void measure_stored(void)
{
	static struct block block;

	measure_block(&block, profile_samples);
	one_tick = typical(&block.sampled);
	bytes_each = (double)stack_bytes() / block.sampled.n;
}

/* A new profile's first stack: nothing is known, but the pages are there. */
static void measure_first(void)
{
	cold_tick = measure_sample(profile_samples);
}

/* The interrupts of ticks that are stored, without the way back to user mode. */
static void measure_interrupts(void)
{
	static struct block block;
	static struct gaps gaps;

	trace_begin();
	measure_block(&block, profile_samples);
	trace_end(&gaps);
	one_interrupt = typical(&gaps);
}

static double stack_tick(unsigned int bytes, void (*measure)(void))
{
	start_stacks(bytes);
	with_frames(FRAMES, measure);
	stop_profile();

	return one_tick;
}

/* perf's, with frames of the same functions; its interrupts are its own. */
static const struct {
	const char *name;
	void (*start)(void);
} perf_stacks[] = {
	{ "perf, chain of frame pointers", start_perf_chain },
	{ "perf, copy of 8 KiB of stack", start_perf_copy },
};
enum { PERF_CHAIN, PERF_COPY, PERF_STACKS };
static double perf_took[PERF_STACKS][REPEATS], perf_size[PERF_STACKS][REPEATS];
static double our_took[REPEATS], our_size[REPEATS];

static void measure_perf(void)
{
	static struct block block;
	uint64_t before = perf_bytes();

	measure_block(&block, perf_bytes);
	one_tick = typical(&block.sampled);
	bytes_each = (double)(perf_bytes() - before) / block.sampled.n;
}

static void measure_perf_stacks(unsigned int round)
{
	unsigned int i;

	for (i = 0; i < PERF_STACKS; i++) {
		perf_stacks[i].start();
		with_frames(FRAMES, measure_perf);
		stop_perf();
		perf_took[i][round] = one_tick;
		perf_size[i][round] = bytes_each;
	}
}

static void measure_unprofiled(void)
{
	static struct block block;

	measure_block(&block, NULL);
	one_tick = typical(&block.other);
}

/* Ours, all that is in addition to a tick: a sample of 8 bytes and its stack. */
static void measure_beside_perf(unsigned int round)
{
	our_took[round] = stack_tick(STREAM_BYTES, measure_stored);
	our_size[round] = 8 + bytes_each;
	/* Who has had a profile is found in each tick; the table goes, too. */
	forget_profile();
	with_frames(FRAMES, measure_unprofiled);
	our_took[round] -= one_tick;
	measure_perf_stacks(round);
	tell_objects();
}

/* In turns, as above. */
static void measure_stacks(void)
{
	unsigned int round;

	settle();
	tell_objects();
	stack_tick(STREAM_BYTES, measure_stored);
	for (round = 0; round < ROUNDS; round++) {
		stored_tick = stack_tick(0, measure_stored);
		stack_kept[round] = stack_tick(STREAM_BYTES, measure_stored) - stored_tick;
		stack_size[round] = bytes_each;
		forget_profile();
		tell_objects();
		stack_tick(STREAM_BYTES, measure_first);
		stack_cold[round] = cold_tick - stored_tick;
	}
	tell_objects();
	stack_tick(STREAM_BYTES, measure_stored);
	for (round = 0; round < REPEATS; round++) {
		measure_beside_perf(round);
		stack_tick(STREAM_BYTES, measure_stored);
	}
}

static void measure_stack_interrupts(void)
{
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		stack_tick(0, measure_interrupts);
		stack_interrupt[round] = -one_interrupt;
		stack_tick(STREAM_BYTES, measure_interrupts);
		stack_interrupt[round] += one_interrupt;
	}
}

/* --- context switches of who is not profiled --------------------------------------- */

static const struct {
	const char *name;
	unsigned int rate;
} switch_rates[] = {
	{ "another is profiled, by ticks", PROFIL_RATE_TICK },
	{ "another is profiled, every ms", PROFIL_RATE_FAST },
};
#define SWITCH_RATES	(sizeof(switch_rates) / sizeof(switch_rates[0]))
static double plain_switch[REPEATS], more_switch[SWITCH_RATES][REPEATS];

/* There and back is two. */
static double switch_cost(void)
{
	double both;

	start_partner();
	both = measure_call(switch_to_partner, SWITCH_CALLS);
	stop_partner();

	return both / 2;
}

static double switch_cost_at(unsigned int rate)
{
	double cost;

	settle();
	start_bystandee_at(rate);
	cost = switch_cost();
	stop_bystandees();

	return cost;
}

static void measure_switches(void)
{
	unsigned int i, r;

	for (i = 0; i < REPEATS; i++) {
		settle();
		plain_switch[i] = switch_cost();
		for (r = 0; r < SWITCH_RATES; r++)
			more_switch[r][i] = switch_cost_at(switch_rates[r].rate) -
					    plain_switch[i];
	}
}

/* --- what is printed ------------------------------------------------------------ */

static void print_range(double *number, int n)
{
	double middle_one = median(number, n);
	char range[40];

	snprintf(range, sizeof(range), "(%.0f..%.0f)", number[0], number[n - 1]);
	printf(" %10.0f %20s", middle_one, range);
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

static void print_regions(void)
{
	char name[40];
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%u regions more than 1", many_regions[i]);
		printf("%-36s", name);
		print_range(more_regions[i], ROUNDS);
		printf("\n");
	}
}

static void print_sample(const char *name, double *took, double *size)
{
	printf("%-36s", name);
	print_range(took, REPEATS);
	print_range(size, REPEATS);
	printf("\n");
}

static void print_stacks(void)
{
	unsigned int i;

	printf("\nthe stack of a sample, 16 frames\n%-36s", "from what is kept");
	print_range(stack_kept, ROUNDS);
	printf("\n%-36s", "the first of a profile");
	print_range(stack_cold, ROUNDS);
	printf("\n%-36s", "the interrupt's part of each");
	print_range(stack_interrupt, ROUNDS);
	printf("\n%-36s", "bytes");
	print_range(stack_size, ROUNDS);
	printf("\n\n%-36s %31s %31s\n", "a sample with its stack", "instructions", "bytes");
	print_sample("a stored sample and its stack", our_took, our_size);
	for (i = 0; i < PERF_STACKS; i++)
		print_sample(perf_stacks[i].name, perf_took[i], perf_size[i]);
}

static void print_switches(void)
{
	unsigned int r;

	printf("\n%-36s", "a switch without profiling");
	print_range(plain_switch, REPEATS);
	printf("\na switch, in addition\n");
	for (r = 0; r < SWITCH_RATES; r++) {
		printf("%-36s", switch_rates[r].name);
		print_range(more_switch[r], REPEATS);
		printf("\n");
	}
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
 * What else the kernel does now and then makes a tick or a block longer, never
 * shorter: the shortest ones are compared.
 */
static void print_idle(struct idle *loaded, const struct idle *unloaded)
{
	int i;

	for (i = 0; i < IDLE_REPEATS; i++)
		loaded->tick[i] -= unloaded->tick[0];
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
	print_regions();
	print_stacks();
	print_switches();

	printf("\non and off again\n");
	for (p = pairs; p->name; p++)
		print_pair(p);
}

/* --- what was aimed at -------------------------------------------------------------- */

/* The median of a figure of a method. */
static double figure_of(const char *method, enum figure f)
{
	const struct method *m = methods;
	double number[REPEATS];
	int i;

	while (m->name && strcmp(m->name, method))
		m++;
	if (!m->name || !costs[m - methods][0].known[f])
		fail(method);
	for (i = 0; i < REPEATS; i++)
		number[i] = costs[m - methods][i].of[f];

	return median(number, REPEATS);
}

static int tests, missed;

static void at_most(double most, double value, const char *what)
{
	bool met = value <= most;

	printf("%sok %d - %s: %.0f, at most %.0f\n", met ? "" : "not ", ++tests,
	       what, value, most);
	missed += !met;
}

/* Is this kernel of version MAJOR.MINOR, or newer? */
static bool kernel_is(unsigned int major, unsigned int minor)
{
	unsigned int have_major, have_minor;
	struct utsname name;

	if (uname(&name) ||
	    sscanf(name.release, "%u.%u", &have_major, &have_minor) != 2)
		fail("uname");
	return have_major > major ||
	       (have_major == major && have_minor >= minor);
}

static void check_aims(struct idle *loaded, const struct idle *unloaded)
{
	bool newer = kernel_is(6, 12);
	double counted = figure_of("histogram, 1 region, every tick", FIGURE_SAMPLE);
	double stored = figure_of("sample array, every tick", FIGURE_SAMPLE);
	double other = figure_of("another process is profiled", FIGURE_OTHER);
	double before = figure_of("the same, this one was before", FIGURE_OTHER);
	double others = figure_of("2000 other processes are profiled", FIGURE_OTHER);
	/* What ticks differ by without the module is not the module's. */
	double spread = unloaded->tick[IDLE_REPEATS - 1] - unloaded->tick[0];
	double sigprof = figure_of("libc's profil(), 100 per second", FIGURE_SAMPLE);

	printf("\n");
	at_most(400, counted, "a tick counted in a histogram");
	at_most(380, stored, "a tick stored in a sample array");
	at_most(90, other, "a tick while another process is profiled");
	at_most(90, before, "a tick of one that was profiled before");
	at_most(other + 30, others, "a tick while 2000 others are profiled");
	at_most(60, median(more_regions[0], ROUNDS), "64 regions more than 1");
	at_most(60, median(more_regions[1], ROUNDS), "4096 regions more than 1");
	at_most(1, median(more_switch[0], REPEATS),
		"a switch while another is profiled by ticks");
	at_most(40, median(more_switch[1], REPEATS),
		"a switch while another is profiled every ms");
	at_most(sigprof / 10, counted, "a counted tick, beside a tenth of libc's");
	at_most(spread, loaded->tick[0],
		"a tick with nothing registered");
	/*
	 * All of it, not the walk alone: callbacks, copies from user memory and the
	 * first use of pages are the kernel's, and take more on newer ones.
	 */
	at_most(newer ? 2300 : 2160, median(stack_kept, ROUNDS),
		"the stack of a sample, 16 frames, from what is kept");
	at_most(newer ? 35000 : 26000, median(stack_cold, ROUNDS),
		"the first stack of a profile");
	at_most(60, median(stack_interrupt, ROUNDS),
		"the interrupt's part of a stack");
	at_most(16, median(stack_size, ROUNDS), "bytes of such a stack");
	at_most(median(perf_size[PERF_CHAIN], REPEATS), median(our_size, REPEATS),
		"bytes of a sample, beside perf's chain of frame pointers");
	at_most(median(perf_size[PERF_COPY], REPEATS), median(our_size, REPEATS),
		"bytes of a sample, beside perf's copy of the stack");
	at_most(median(perf_took[PERF_CHAIN], REPEATS), median(our_took, REPEATS),
		"a sample with its stack, beside perf's chain of frame pointers");
	at_most(median(perf_took[PERF_COPY], REPEATS), median(our_took, REPEATS),
		"a sample with its stack, beside perf's copy of the stack");
	printf("1..%d\n", tests);
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
	measure_regions();
	measure_stacks();
	measure_stack_interrupts();
	measure_switches();
	print_all();

	measure_idle(&loaded);
	methods_close();
	measure_idle(&unloaded);
	printf("\nmodule loaded, compared with not loaded\n");
	print_idle(&loaded, &unloaded);
	check_aims(&loaded, &unloaded);

	return missed != 0;
}

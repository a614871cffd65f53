// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What profiling costs, in instructions. See docs/performance.md.
 *
 * For a guest with one CPU whose clock counts instructions; "make bench" starts one. A tick's
 * cost is the difference between a typical tick with profiling and a typical one without, in
 * the same boot and with the same work. All of it is repeated, and the median is printed with
 * the lowest and the highest one. At the end, in TAP, which of the aims are met.
 */
#include <sys/utsname.h>

#include <linux/profil.h>

#include "measure.h"
#include "method.h"

#define REPEATS		3
#define METHODS_MAX	16
#define ON_OFF_CALLS	300
#define SWITCH_CALLS	300
#define IDLE_REPEATS	10
#define ROUNDS		9
#define WAIT_ROUNDS	15

/* A figure, as often as it was measured. */
struct figure {
	double number[WAIT_ROUNDS];
	int n;
};

static void add(struct figure *f, double value)
{
	f->number[f->n++] = value;
}

static double middle(struct figure *f)
{
	return median(f->number, f->n);
}

static double least(struct figure *f)
{
	middle(f);
	return f->number[0];
}

/* By timers and hooks of what was measured before. */
static void settle(void)
{
	sleep(2);
}

/* Of ticks that sample, or of those that do not. */
static double typical_tick(uint64_t (*samples)(void))
{
	static struct block block;

	measure_block(&block, samples);
	return typical(samples ? &block.sampled : &block.other);
}

static double plain_tick(void)
{
	settle();
	return typical_tick(NULL);
}

/* --- ways to profile --------------------------------------------------------------- */

enum {
	SAMPLE,		/* of a tick or interrupt that takes a sample */
	OTHER,		/* of a tick that takes none */
	SECOND,		/* of all of these, in a second of CPU time */
	FIGURES
};

static struct figure costs[METHODS_MAX][FIGURES], plain;

static void measure_method(const struct method *m, struct figure *cost, double tick)
{
	static struct block b;
	double sample, other;

	settle();
	m->start(m->argument);
	measure_block(&b, m->samples);
	m->stop();
	/* Without a sample, an interrupt of its own would not have come at all. */
	sample = typical(&b.sampled) - (m->own_interrupt ? 0 : tick);
	other = typical(&b.other) - tick;
	if (b.sampled.n)
		add(&cost[SAMPLE], sample);
	if (b.other.n)
		add(&cost[OTHER], other);
	add(&cost[SECOND], (b.sampled.n * sample + b.other.n * other) / (b.time / 1e9));
}

static void measure_methods(void)
{
	for (int i = 0; i < REPEATS; i++) {
		double tick = plain_tick();

		add(&plain, tick);
		for (const struct method *m = methods; m->name; m++)
			measure_method(m, costs[m - methods], tick);
	}
}

/* --- many regions beside one ----------------------------------------------------- */

static const unsigned int many_regions[] = { 64, 4096 };
#define MANY		(sizeof(many_regions) / sizeof(many_regions[0]))
static struct figure more_regions[MANY];

static double counted_tick(unsigned int regions)
{
	double took;

	start_regions(regions);
	took = typical_tick(profile_samples);
	stop_profile();
	return took;
}

/*
 * In turns and without a pause: some kernels' ticks differ from one second to
 * the next by as much as what is looked for.
 */
static void measure_regions(void)
{
	settle();
	for (int round = 0; round < ROUNDS; round++) {
		double one = counted_tick(1);

		for (unsigned int i = 0; i < MANY; i++)
			add(&more_regions[i], counted_tick(many_regions[i]) - one);
	}
}

/* --- stacks -------------------------------------------------------------------------- */

/* Of with_frames(); with what is below and above it, 16. */
#define FRAMES		7
#define STREAM_BYTES	(1 << 20)

static struct figure stack_kept, stack_cold, stack_size, stack_interrupt;
static double one_tick, bytes_each;

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
	one_tick = measure_sample(profile_samples);
}

/* The interrupts of ticks that are stored, without the way back to user mode. */
static void measure_interrupts(void)
{
	static struct block block;
	static struct gaps gaps;

	trace_begin();
	measure_block(&block, profile_samples);
	trace_end(&gaps);
	one_tick = typical(&gaps);
}

static double stack_tick(unsigned int bytes, void (*measure)(void))
{
	start_stacks(bytes);
	with_frames(FRAMES, measure);
	stop_profile();
	return one_tick;
}

/* In turns, as above. */
static void measure_stacks(void)
{
	settle();
	tell_objects();
	stack_tick(STREAM_BYTES, measure_stored);
	for (int round = 0; round < ROUNDS; round++) {
		double stored = stack_tick(0, measure_stored);

		add(&stack_kept, stack_tick(STREAM_BYTES, measure_stored) - stored);
		add(&stack_size, bytes_each);
		forget_profile();
		/* What freeing it leaves to other threads is not a part of the stack. */
		settle();
		tell_objects();
		add(&stack_cold, stack_tick(STREAM_BYTES, measure_first) - stored);
	}
}

static void measure_stack_interrupts(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		double without = stack_tick(0, measure_interrupts);

		add(&stack_interrupt, stack_tick(STREAM_BYTES, measure_interrupts) - without);
	}
}

/* Ours and perf's, with frames of the same functions; its interrupts are its own. */
enum { OURS, PERF_CHAIN, PERF_COPY, WITH_STACKS };
static const char *const sample_names[] = {
	"a stored sample and its stack", "perf, chain of frame pointers",
	"perf, copy of 8 KiB of stack",
};
static struct figure took[WITH_STACKS], size[WITH_STACKS];

static void measure_perf(void)
{
	static struct block block;
	uint64_t before = perf_bytes();

	measure_block(&block, perf_bytes);
	one_tick = typical(&block.sampled);
	bytes_each = (double)(perf_bytes() - before) / block.sampled.n;
}

static void measure_unprofiled(void)
{
	one_tick = typical_tick(NULL);
}

/* Ours, all that is in addition to a tick: a sample of 8 bytes and its stack. */
static void measure_beside_perf(void)
{
	tell_objects();
	stack_tick(STREAM_BYTES, measure_stored);
	for (int round = 0; round < REPEATS; round++) {
		double ours = stack_tick(STREAM_BYTES, measure_stored);

		add(&size[OURS], 8 + bytes_each);
		/* Each tick would find the stopped profile. Its table of objects goes, too. */
		forget_profile();
		with_frames(FRAMES, measure_unprofiled);
		add(&took[OURS], ours - one_tick);
		for (int i = PERF_CHAIN; i <= PERF_COPY; i++) {
			start_perf_stacks(i == PERF_COPY);
			with_frames(FRAMES, measure_perf);
			stop_perf();
			add(&took[i], one_tick);
			add(&size[i], bytes_each);
		}
		tell_objects();
		stack_tick(STREAM_BYTES, measure_stored);
	}
}

/* --- context switches of unprofiled processes --------------------------------------- */

static const struct { const char *name; unsigned int rate; } switch_rates[] = {
	{ "another is profiled, by ticks", PROFIL_RATE_TICK },
	{ "another is profiled, every ms", PROFIL_RATE_FAST },
};
#define SWITCH_RATES	(sizeof(switch_rates) / sizeof(switch_rates[0]))
/* The last is without the module. */
static struct figure plain_switch, more_switch[SWITCH_RATES], bare_switch;

/* There and back is two. */
static double switch_cost(void)
{
	double both;

	start_partner(0);
	both = measure_call(switch_to_partner, SWITCH_CALLS, NULL);
	stop_partner();
	return both / 2;
}

static void measure_switches(void)
{
	for (int i = 0; i < REPEATS; i++) {
		double without;

		settle();
		without = switch_cost();
		add(&plain_switch, without);
		for (unsigned int r = 0; r < SWITCH_RATES; r++) {
			settle();
			start_bystanders(1, switch_rates[r].rate);
			add(&more_switch[r], switch_cost() - without);
			stop_bystanders();
		}
	}
}

/*
 * Of a thread of the same process: with PROFIL_WAITS and without; and after waits with a
 * sample and without. The latter by ticks, as switches start no timer then.
 */
static struct figure short_wait, long_wait;

static double own_switch(unsigned int flags)
{
	double took;

	start_stacks_at(PROFIL_RATE_FAST, flags);
	took = switch_cost();
	stop_profile();
	return took;
}

/* From the partner, after so many loops, to this thread. */
static double switch_after(unsigned int loops)
{
	double took;

	start_stacks_at(PROFIL_RATE_TICK, PROFIL_WAITS);
	start_partner(loops);
	took = measure_call(switch_to_partner, SWITCH_CALLS / 4, &partner_yields);
	stop_partner();
	stop_profile();
	return took;
}

static void measure_waits(void)
{
	tell_objects();
	/* The difference of two starts of a profile varies by 8 instructions. */
	for (int round = 0; round < WAIT_ROUNDS; round++) {
		settle();
		add(&short_wait, own_switch(PROFIL_WAITS) - own_switch(0));
		/* 4.2 ms, longer than a tick: most of these waits have one sample. */
		if (round < ROUNDS)
			add(&long_wait, switch_after(1400000) - switch_after(0));
	}
}

/* --- processes: what operations.c tells, in this order ------------------------------ */

enum { FORK, START, THREAD, SWITCH, WAIT, OPERATIONS };
static struct figure profiled[OPERATIONS];

static void read_operations(const char *profiler, double took[OPERATIONS])
{
	FILE *out = popen(profiler, "r");

	for (int i = 0; i < OPERATIONS; i++)
		if (!out || fscanf(out, "%*[^\t]%lf ", &took[i]) != 1)
			fail(profiler);
	if (pclose(out))
		fail(profiler);
}

static void measure_processes(void)
{
	double alone[OPERATIONS], took[OPERATIONS];

	read_operations("$OPERATIONS", alone);
	read_operations("profil -q --no-names -o /tmp/operations $OPERATIONS", took);
	for (int i = 0; i < OPERATIONS; i++)
		add(&profiled[i], took[i] - alone[i]);
}

/* --- what is printed ------------------------------------------------------------ */

static void print_range(struct figure *f)
{
	char range[40];

	if (!f->n) {
		printf(" %10s %20s", "-", "");
		return;
	}
	/* In order from here on. */
	printf(" %10.0f", middle(f));
	snprintf(range, sizeof(range), "(%.0f..%.0f)", f->number[0], f->number[f->n - 1]);
	printf(" %20s", range);
}

/* So many figures beside each other. */
static void print_row(const char *name, struct figure *f, int n)
{
	printf("%-36s", name);
	for (int i = 0; i < n; i++)
		print_range(&f[i]);
	printf("\n");
}

static void print_stacks(void)
{
	printf("\nthe stack of a sample, 16 frames\n");
	print_row("from what is kept", &stack_kept, 1);
	print_row("the first of a profile", &stack_cold, 1);
	print_row("the interrupt's part of each", &stack_interrupt, 1);
	print_row("bytes", &stack_size, 1);
	printf("\n%-36s %31s %31s\n", "a sample with its stack", "instructions", "bytes");
	for (int i = 0; i < WITH_STACKS; i++)
		print_row(sample_names[i], (struct figure[]){ took[i], size[i] }, 2);
}

/* Starts and stops; the median of the first kind. */
static double measure_pairs(void)
{
	double first = 0;

	printf("\non and off again\n");
	for (const struct pair *p = pairs; p->name; p++) {
		struct figure both = { .n = 0 };

		p->on_off();
		for (int i = 0; i < REPEATS; i++)
			add(&both, measure_call(p->on_off, ON_OFF_CALLS, NULL));
		print_row(p->name, &both, 1);
		if (p == pairs)
			first = middle(&both);
	}
	return first;
}

static void print_all(void)
{
	char name[40];

	printf("Instructions, as median (lowest..highest) of %d times\n\n", REPEATS);
	print_row("a tick without profiling", &plain, 1);
	printf("\n%-36s %31s %31s %31s\n", "profiling, in addition",
	       "tick with a sample", "tick without one", "all, per second");
	for (const struct method *m = methods; m->name; m++)
		print_row(m->name, costs[m - methods], FIGURES);
	for (unsigned int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%u regions more than 1", many_regions[i]);
		print_row(name, &more_regions[i], 1);
	}
	print_stacks();
	printf("\n");
	print_row("a switch without profiling", &plain_switch, 1);
	printf("a switch, in addition\n");
	for (unsigned int r = 0; r < SWITCH_RATES; r++)
		print_row(switch_rates[r].name, &more_switch[r], 1);
	print_row("of a thread with its waits", &short_wait, 1);
	print_row("and after a wait with a sample", &long_wait, 1);
	printf("under profil, in addition\n");
	print_row("a fork, to the end of the child", &profiled[FORK], 1);
	print_row("a start of a program, to its end", &profiled[START], 1);
}

/* --- what was aimed at -------------------------------------------------------------- */

/* The median of a figure of a method. */
static double figure_of(const char *method, int which)
{
	const struct method *m = methods;

	while (m->name && strcmp(m->name, method))
		m++;
	if (!m->name || !costs[m - methods][which].n)
		fail(method);
	return middle(&costs[m - methods][which]);
}

static int tests, missed;

static void at_most(double most, double value, const char *what)
{
	printf("%sok %d - %s: %.0f, at most %.0f\n", value <= most ? "" : "not ",
	       ++tests, what, value, most);
	missed += !(value <= most);
}

static bool kernel_is(const char *version)
{
	struct utsname name;

	if (uname(&name))
		fail("uname");
	return strverscmp(name.release, version) >= 0;
}

static void check_beside_perf(void)
{
	for (int i = PERF_CHAIN; i <= PERF_COPY; i++) {
		printf("# beside %s\n", sample_names[i]);
		at_most(middle(&size[i]), middle(&size[OURS]), "bytes of a sample");
		at_most(middle(&took[i]), middle(&took[OURS]), "a sample with its stack");
	}
}

/* With what a tick, a switch, and a start with its stop take if nobody is profiled. */
static void check_aims(double idle_tick, double idle_switch, double start)
{
	bool newer = kernel_is("6.12");
	double counted = figure_of("histogram, 1 region, every tick", SAMPLE);
	double stored = figure_of("sample array, every tick", SAMPLE);
	double threads = figure_of("the same beside 1023 threads that wait", SAMPLE);
	double other = figure_of("another process is profiled", OTHER);
	double before = figure_of("the same, this one was before", OTHER);
	double others = figure_of("2000 other processes are profiled", OTHER);
	double sigprof = figure_of("libc's profil(), 100 per second", SAMPLE);

	printf("\n");
	/* Both with what the tick costs while nobody is profiled. */
	at_most(newer ? 280 : 235, idle_tick + counted, "a tick counted in a histogram");
	at_most(newer ? 310 : 190, idle_tick + stored, "a tick stored in a sample array");
	at_most(counted + 60, threads, "a counted tick beside 1023 threads that wait");
	at_most(90, other, "a tick while another process is profiled");
	at_most(90, before, "a tick of one that was profiled before");
	at_most(other + 30, others, "a tick while 2000 others are profiled");
	at_most(60, middle(&more_regions[0]), "64 regions more than 1");
	at_most(60, middle(&more_regions[1]), "4096 regions more than 1");
	at_most(1, middle(&more_switch[0]), "a switch while another is profiled by ticks");
	at_most(40, middle(&more_switch[1]), "a switch while another is profiled every ms");
	at_most(sigprof / 10, counted, "a counted tick, beside a tenth of libc's");
	/* The tick's hook and the scheduler's tracepoint are there, and leave at once. */
	at_most(newer ? 50 : 42, idle_tick, "a tick while nobody is profiled");
	at_most(newer ? 30 : 20, idle_switch, "a switch while nobody is profiled");
	at_most(5500, start, "a start and a stop of one region");
	/* Callbacks and copies from user memory are the kernel's, and take more on newer ones. */
	at_most(newer ? 2050 : 1590, middle(&stack_kept),
		"the stack of a sample, 16 frames, from what is kept");
	at_most(newer ? 39000 : 16000, middle(&stack_cold), "the first stack of a profile");
	at_most(66, middle(&stack_interrupt), "the interrupt's part of a stack");
	at_most(16, middle(&stack_size), "bytes of such a stack");
	check_beside_perf();
	at_most(150, middle(&short_wait), "a switch, with waits, in addition");
	at_most(middle(&took[OURS]) + 50, middle(&long_wait),
		"a wait with a sample, 16 frames, beside one of CPU time");
	/*
	 * Files and pages that others have left make some of them longer, and so may the place
	 * of a mapping in the kernel's tables, and of libc's code in its pages.
	 */
	at_most(220000, least(&profiled[FORK]), "a fork under profil");
	at_most(300000, least(&profiled[START]), "a start of a program under profil");
	printf("1..%d\n", tests);
}

/* "stacks": only those. The other limits are those of x86-64, and so is the trace's clock. */
int main(int argc, char **argv)
{
	static struct figure loaded, unloaded;
	bool only_stacks = argc > 1 && !strcmp(argv[1], "stacks");
	double idle_tick, idle_switch, start;

	setvbuf(stdout, NULL, _IOLBF, 0);
	measure_init();
	methods_open();
	if (!only_stacks) {
		measure_methods();
		measure_regions();
	}
	/* Each is called here only, so it is in main()'s frame. */
	measure_stacks();
	measure_beside_perf();
	if (only_stacks) {
		print_stacks();
		check_beside_perf();
		printf("1..%d\n", tests);
		return missed != 0;
	}
	measure_stack_interrupts();
	measure_switches();
	/* Their calls are one less than those of other stacks. */
	with_frames(FRAMES + 1, measure_waits);
	for (int i = 0; i < 4 * REPEATS; i++)
		measure_processes();
	print_all();
	start = measure_pairs();

	for (int i = 0; i < IDLE_REPEATS; i++)
		add(&loaded, plain_tick());
	methods_close();
	for (int i = 0; i < IDLE_REPEATS; i++)
		add(&unloaded, plain_tick());
	for (int i = 0; i < REPEATS; i++) {
		settle();
		add(&bare_switch, switch_cost());
	}
	/*
	 * What else the kernel does now and then makes a tick longer, never shorter: the
	 * shortest ones are compared.
	 */
	idle_tick = least(&loaded) - least(&unloaded);
	idle_switch = middle(&plain_switch) - middle(&bare_switch);
	printf("\nmodule loaded, compared with not loaded\n%-36s %10.0f\n%-36s %10.0f\n",
	       "a tick, nobody profiled", idle_tick, "a switch, nobody profiled", idle_switch);
	check_aims(idle_tick, idle_switch, start);
	return missed != 0;
}

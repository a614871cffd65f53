// SPDX-License-Identifier: LGPL-2.1-or-later
/* Interrupts, in instructions; see measure.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <linux/perf_event.h>

#include "measure.h"
#include "method.h"

/* 20 thousand instructions, in pieces of a quarter second altogether. */
#define WORK_LOOPS	10000
#define WORK_PIECES	12500
/* What is longer by less is not an interrupt. */
#define SHORTEST	100
#define CALLS_MAX	1000

static uint64_t undisturbed;

__attribute__((noinline)) void measure_work(void)
{
	for (unsigned long i = WORK_LOOPS; i; i--)
		__asm__ volatile("" : "+r" (i));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double median(double *number, int n)
{
	qsort(number, n, sizeof(*number), compare);
	return number[n / 2];
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

#ifdef __riscv
/* It counts for an event only, and programs may read it after this. */
static void start_counter(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS, .pinned = 1 };
	int access = open("/proc/sys/kernel/perf_user_access", O_WRONLY);

	if (write(access, "2", 1) != 1 || syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0) < 0)
		perror("counter of instructions");
}
#endif

void measure_init(void)
{
	enum { PIECES = 2000 };
	static double took[PIECES];
	uint64_t last;
	int i, same = 0;

#ifdef __riscv
	start_counter();
#endif
	last = now();
	for (i = 0; i < PIECES; i++)
		took[i] = piece(&last);
	undisturbed = median(took, PIECES);
	for (i = 0; i < PIECES; i++)
		same += took[i] == undisturbed;

	if (same > PIECES * 9 / 10)
		return;
	fprintf(stderr, "The clock does not count instructions here: "
			"the same work takes different times.\n");
	exit(1);
}

void add_gap(struct gaps *gaps, uint32_t length)
{
	if (gaps->n < MEASURE_MAX)
		gaps->length[gaps->n++] = length;
}

static uint64_t no_samples(void)
{
	return 0;
}

void measure_block(struct block *block, uint64_t (*samples)(void))
{
	uint64_t start, last, took, before, after;

	if (!samples)
		samples = no_samples;
	block->sampled.n = 0;
	block->other.n = 0;
	before = samples();
	last = now();
	start = last;
	for (int i = 0; i < WORK_PIECES; i++) {
		took = piece(&last);
		if (took < undisturbed + SHORTEST)
			continue;
		after = samples();
		add_gap(after != before ? &block->sampled : &block->other, took - undisturbed);
		before = after;
		last = now();
	}
	block->time = last - start;
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

/* The mean of the middle half of @number, which is sorted. */
static double middle_mean(double *number, unsigned int n)
{
	unsigned int i, first = n / 4, end = n - n / 4;
	double sum = 0;

	median(number, n);
	for (i = first; i < end; i++)
		sum += number[i];
	return n ? sum / (end - first) : 0;
}

double measure_call(void (*do_it)(void), unsigned int calls, const volatile uint64_t *from)
{
	static double took[CALLS_MAX];
	unsigned int i;
	uint64_t start;

	for (i = 0; i < calls && i < CALLS_MAX; i++) {
		start = now();
		do_it();
		took[i] = now() - (from ? *from : start);
	}
	return middle_mean(took, i);
}

double typical(struct gaps *gaps)
{
	return middle_mean(gaps->length, gaps->n);
}

/* --- the kernel's trace ------------------------------------------------------- */

#define TRACING	"/sys/kernel/tracing/"
#define EVENTS	TRACING "events/irq_vectors/local_timer_"

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_TRUNC);
	ssize_t n = (ssize_t)strlen(text);

	if (fd < 0 || write(fd, text, (size_t)n) != n)
		fail(file);
	close(fd);
}

static void trace_events(const char *on)
{
	put(EVENTS "entry/enable", on);
	put(EVENTS "exit/enable", on);
}

void trace_begin(void)
{
	if (mount("tracefs", TRACING, "tracefs", 0, NULL) && errno != EBUSY)
		fail("mount of tracefs");
	/* This also empties the trace. */
	put(TRACING "trace_clock", "x86-tsc");
	trace_events("1");
}

/* "TASK-PID [CPU] FLAGS TIME: local_timer_entry: vector=N", or exit. */
static const char *event_time(const char *line, uint64_t *time)
{
	const char *event = strstr(line, ": local_timer_"), *at = event;

	if (!event)
		return "";
	while (at > line && at[-1] != ' ')
		at--;
	*time = strtoull(at, NULL, 10);

	return event + strlen(": local_timer_");
}

void trace_end(struct gaps *gaps)
{
	uint64_t entry = 0, time;
	const char *event;
	char line[256];
	FILE *trace;

	trace_events("0");
	trace = fopen(TRACING "trace", "r");
	if (!trace)
		fail(TRACING "trace");
	gaps->n = 0;
	while (fgets(line, sizeof(line), trace)) {
		event = event_time(line, &time);
		if (!strncmp(event, "entry", 5))
			entry = time;
		else if (entry && !strncmp(event, "exit", 4))
			add_gap(gaps, (uint32_t)(time - entry));
	}
	fclose(trace);
}

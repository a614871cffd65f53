// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * In the style of a Solaris program that compares its phases: pcsample() fills one
 * array while the program evaluates the other. The samples of each phase go to a
 * file unchanged.
 *
 *	solaris-record FILE [rounds]
 */
#include <pcsample.h>
#include <sys/times.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSAMPLES	8192
#define NOINLINE	__attribute__((noinline, noclone))

static uintptr_t samples[2][NSAMPLES];
static int current;
static FILE *file;

static long
ticks(void)
{
	struct tms tms;

	times(&tms);
	return tms.tms_utime + tms.tms_stime;
}

/* Ends a phase and begins the next; returns the ended phase's number of samples. */
static long
next_phase(long nsamples)
{
	long stored;

	current = !current;
	/* A sample that is lost leaves its element as it was. */
	memset(samples[current], 0, nsamples * sizeof(samples[0][0]));
	stored = pcsample(samples[current], nsamples);
	if (stored < 0) {
		perror("pcsample");
		exit(1);
	}
	return stored;
}

static int
compare(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

/* How many of n samples lie in this function, whose code has this many bytes. */
static long
samples_in(const uintptr_t *pc, long n, void *function, unsigned long bytes)
{
	long i, in = 0;

	for (i = 0; i < n; i++)
		in += pc[i] - (uintptr_t)function < bytes;
	return in;
}

static void
report(const char *phase, void *function, long n, long clock)
{
	uintptr_t *pc = samples[!current];
	long different = n > 0, i, in = samples_in(pc, n, function, 512);

	fwrite(pc, sizeof(*pc), n, file);
	qsort(pc, n, sizeof(*pc), compare);
	for (i = 1; i < n; i++)
		different += pc[i] != pc[i - 1];
	printf("%s: %ld samples of %ld, %ld different pcs, %ld%% in it\n", phase,
	       n, clock, different, n ? 100 * in / n : 0);
}

/* --- the phases ------------------------------------------------------------- */

static unsigned char text[1 << 16];
static volatile unsigned long result;

NOINLINE static void
parse(int rounds)
{
	unsigned long words = 0, i;

	while (rounds--)
		for (i = 1; i < sizeof(text); i++)
			words += text[i] < 'a' && text[i - 1] >= 'a';
	result = words;
}

NOINLINE static void
checksum(int rounds)
{
	unsigned long a = 1, b = 0, i;

	while (rounds--)
		for (i = 0; i < sizeof(text); i++) {
			a = (a + text[i]) % 65521;
			b = (b + a) % 65521;
		}
	result = b << 16 | a;
}

int
main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 400;
	unsigned int i, random = 1;
	long t0, t1, t2, n;

	if (argc < 2 || (file = fopen(argv[1], "w")) == NULL) {
		fprintf(stderr, "usage: solaris-record FILE [rounds]\n");
		return 2;
	}
	for (i = 0; i < sizeof(text); i++)
		text[i] = (random = random * 1103515245 + 12345) >> 16;

	t0 = ticks();
	next_phase(NSAMPLES);
	parse(rounds);
	n = next_phase(NSAMPLES);
	t1 = ticks();
	report("parse", (void *)parse, n, t1 - t0);
	next_phase(NSAMPLES);
	t1 = ticks();
	checksum(rounds);
	n = next_phase(0);
	t2 = ticks();
	report("checksum", (void *)checksum, n, t2 - t1);
	return fclose(file) ? 1 : 0;
}

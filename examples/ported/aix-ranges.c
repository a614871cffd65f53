// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * In the style of an AIX program that knows its inner loops: one short for each
 * four bytes of the loops, and a few for the rest of its text. All counters are in
 * one buffer, as AIX's profil() requires.
 *
 *	aix-ranges [rounds]
 */
#include <mon.h>
#include <sys/times.h>
#include <stdio.h>
#include <stdlib.h>

#define INNER	__attribute__((noinline, section("inner")))

/* Defined by the linker: the section, and the whole text. */
extern char __start_inner[], __stop_inner[], __executable_start[], etext[];

#define REST	64			/* counters for each part of the rest */

/* Before, in and after the inner loops; then the end of the array. */
static struct prof ranges[4];
static struct prof off[1];
static const char *names[3] = { "before", "inner", "after" };
static HISTCOUNTER *buffer;

static void
range(int i, char *low, char *high, HISTCOUNTER *counters, int n, uint scale)
{
	ranges[i].p_low = low;
	ranges[i].p_high = high;
	ranges[i].p_buff = counters;
	ranges[i].p_bufsize = n * (int)sizeof(HISTCOUNTER);
	ranges[i].p_scale = scale;
}

static void
start(void)
{
	int inner = (int)(__stop_inner - __start_inner) / 4 + 1;

	buffer = calloc(inner + 2 * REST, sizeof(*buffer));
	if (buffer == NULL)
		exit(1);
	range(0, __executable_start, __start_inner, buffer, REST, (uint)-1);
	range(1, __start_inner, __stop_inner, buffer + REST, inner,
	      HIST_SCALE_1_TO_1);
	range(2, __stop_inner, &etext[0] > &__stop_inner[0] ? etext :
	      __stop_inner + 1,
	      buffer + REST + inner, REST, (uint)-1);
	if (profil(ranges, -1, 0, 0) != 0) {
		perror("profil");
		exit(1);
	}
}

static long
sum(const struct prof *p, long *largest)
{
	long total = 0, i;

	*largest = 0;
	for (i = 0; i < p->p_bufsize / (int)sizeof(HISTCOUNTER); i++) {
		total += p->p_buff[i];
		if (p->p_buff[i] > p->p_buff[*largest])
			*largest = i;
	}
	return total;
}

static void
report(void)
{
	long all = 0, n, largest;
	struct tms tms;
	int i;

	profil(off, -1, 0, 0);
	times(&tms);
	for (i = 0; i < 3; i++) {
		n = sum(&ranges[i], &largest);
		printf("%-6s %6ld ticks, most of them in counter %ld\n",
		       names[i], n, largest);
		all += n;
	}
	printf("total %ld of %ld\n", all, (long)(tms.tms_utime + tms.tms_stime));
}

/* --- the work --------------------------------------------------------------- */

static unsigned int board[64 * 64], next[64 * 64];

INNER static unsigned int
neighbours(int cell)
{
	unsigned int n = 0;
	int row, column;

	for (row = -64; row <= 64; row += 64)
		for (column = -1; column <= 1; column++)
			n += board[(cell + row + column) & 4095];
	return n - board[cell];
}

INNER static void
generation(void)
{
	int cell;

	for (cell = 0; cell < 4096; cell++) {
		unsigned int n = neighbours(cell);

		next[cell] = n == 3 || (n == 2 && board[cell]);
	}
}

__attribute__((noinline)) static unsigned int
population(void)
{
	unsigned int alive = 0;
	int cell, times;

	for (times = 0; times < 10; times++)
		for (cell = 0; cell < 4096; cell++)
			alive += (board[cell] = next[cell]);
	return alive / 10;
}

int
main(int argc, char **argv)
{
	int round, rounds = argc > 1 ? atoi(argv[1]) : 2000;
	unsigned int i, random = 42, alive = 0;

	for (i = 0; i < 4096; i++)
		board[i] = (random = random * 1103515245 + 12345) >> 30 == 0;
	start();
	for (round = 0; round < rounds; round++) {
		generation();
		alive = population();
	}
	report();
	printf("alive %u\n", alive);
	return 0;
}

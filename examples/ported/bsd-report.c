// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * In the style of a BSD program without cc -pg: profiles the whole text from the
 * first line of main() on, and prints at exit where the time went.
 *
 *	bsd-report [rounds]
 */
#include <sys/types.h>
#include <sys/times.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE	__attribute__((noinline, noclone))

/* Start and end of the text, defined by the linker. */
extern char __executable_start, etext;

/* --- the profile ------------------------------------------------------------ */

#define	SCALE	16384		/* one bin per 8 bytes of text */

static u_short	*bins;
static size_t	nbins;
static u_long	lowpc;
static clock_t	started;

struct func {
	const char	*name;
	u_long		addr;
	u_long		ticks;
};

static struct func funcs[8];
static int nfuncs;

static void
addfunc(const char *name, void *addr)
{
	funcs[nfuncs].name = name;
	funcs[nfuncs++].addr = (u_long)addr;
}

static int
byaddr(const void *a, const void *b)
{
	const struct func *f = a, *g = b;

	return (f->addr > g->addr) - (f->addr < g->addr);
}

static int
byticks(const void *a, const void *b)
{
	const struct func *f = a, *g = b;

	return (f->ticks < g->ticks) - (f->ticks > g->ticks);
}

static clock_t
cputime(void)
{
	struct tms tms;

	times(&tms);
	return (tms.tms_utime + tms.tms_stime);
}

/* The last function that starts before the end of this bin. */
static struct func *
lookup(size_t bin)
{
	u_long pc = lowpc + bin * 8 + 7;
	int i;

	for (i = nfuncs - 1; i > 0; i--)
		if (funcs[i].addr <= pc)
			break;
	return (&funcs[i]);
}

static void
report(void)
{
	clock_t stopped;
	u_long total = 0;
	size_t bin;
	int i;

	profil(NULL, 0, 0, 0);
	stopped = cputime();
	qsort(funcs, nfuncs, sizeof(funcs[0]), byaddr);
	for (bin = 0; bin < nbins; bin++) {
		lookup(bin)->ticks += bins[bin];
		total += bins[bin];
	}
	qsort(funcs, nfuncs, sizeof(funcs[0]), byticks);
	printf("%%time  ticks  name\n");
	for (i = 0; i < nfuncs && total; i++)
		printf("%5.1f %6lu  %s\n", 100.0 * funcs[i].ticks / total,
		    funcs[i].ticks, funcs[i].name);
	printf("total %lu of %ld\n", total, (long)(stopped - started));
}

static void
startprofile(void)
{
	lowpc = (u_long)&__executable_start;
	nbins = ((u_long)&etext - lowpc) / 8 + 1;
	bins = calloc(nbins, sizeof(*bins));
	if (bins == NULL || profil((char *)bins, nbins * sizeof(*bins), lowpc,
	    SCALE) == -1) {
		perror("profil");
		exit(1);
	}
	started = cputime();
	atexit(report);
}

/* --- the work --------------------------------------------------------------- */

#define	PRIMES	200000
#define	DIM	96

static u_short composite[PRIMES];	/* last round that marked it */
static double x[DIM][DIM], y[DIM][DIM], z[DIM][DIM];

NOINLINE static int
sieve(u_short round)
{
	int i, j, n = 0;

	for (i = 2; i < PRIMES; i++) {
		if (composite[i] == round)
			continue;
		n++;
		for (j = 2 * i; j < PRIMES; j += i)
			composite[j] = round;
	}
	return (n);
}

NOINLINE static double
multiply(void)
{
	int i, j, k;

	for (i = 0; i < DIM; i++)
		for (j = 0; j < DIM; j++) {
			double sum = 0;

			for (k = 0; k < DIM; k++)
				sum += x[i][k] * y[k][j];
			z[i][j] = sum;
		}
	return (z[DIM - 1][DIM - 1]);
}

NOINLINE static void
fill(int seed)
{
	int i, j;

	for (i = 0; i < DIM; i++)
		for (j = 0; j < DIM; j++) {
			x[i][j] = (i * seed + j) % 17;
			y[i][j] = (i + j * seed) % 19;
		}
}

int
main(int argc, char **argv)
{
	int round, rounds = argc > 1 ? atoi(argv[1]) : 100;
	double sum = 0;

	addfunc("sieve", (void *)sieve);
	addfunc("multiply", (void *)multiply);
	addfunc("fill", (void *)fill);
	addfunc("main", (void *)main);
	startprofile();
	for (round = 0; round < rounds; round++) {
		fill(round);
		sum += multiply() + sieve(round + 1);
	}
	printf("result %.0f\n", sum);
	return (0);
}

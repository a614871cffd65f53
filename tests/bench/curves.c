// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a tick costs as there is more of something: a line for each point, with
 * what there is more of, how many, and instructions, tabs between them. For a
 * guest as bench.c is. In turns, and the median, as what a tick takes drifts.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/profil.h>

#include "measure.h"
#include "method.h"

#define ROUNDS	3
#define POINTS	8

static double tick(uint64_t (*samples)(void))
{
	static struct block block;
	const struct gaps *gaps = samples ? &block.sampled : &block.other;

	measure_block(&block, samples);
	return middle(gaps->length, gaps->n);
}

/* Longer than the hook stays without a user: it costs something, too. */
static double plain(void)
{
	forget_profile();
	sleep(12);
	return tick(NULL);
}

static double counted(unsigned int regions)
{
	double took;

	start_regions(regions);
	took = tick(profile_samples);
	stop_profile();
	return took;
}

static double beside_processes(unsigned int n)
{
	double took;

	start_bystandees(n, PROFIL_RATE_TICK);
	took = tick(NULL);
	stop_bystandees();
	return took;
}

/* --- threads that wait, beside the one that works --------------------------------- */

static sem_t end;

static void *wait_for_end(void *unused)
{
	while (sem_wait(&end))
		;
	return unused;
}

static double beside_threads(unsigned int n)
{
	static pthread_t thread[1024];
	unsigned int i;
	double took;

	for (i = 1; i < n; i++)
		if (pthread_create(&thread[i], NULL, wait_for_end, NULL))
			fail("pthread_create");
	took = counted(1);
	for (i = 1; i < n; i++)
		sem_post(&end);
	for (i = 1; i < n; i++)
		pthread_join(thread[i], NULL);
	return took;
}

static const struct curve {
	const char *name;
	double (*measure)(unsigned int n);
	unsigned int n[POINTS];	/* ends with 0 */
} curves[] = {
	{ "regions", counted, { 1, 4, 16, 64, 256, 1024, 4096 } },
	{ "threads", beside_threads, { 1, 16, 256, 1024 } },
	{ "processes", beside_processes, { 1, 16, 256, 2000 } },
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void draw(const struct curve *curve)
{
	static double more[POINTS][ROUNDS];
	unsigned int i, round;

	for (round = 0; round < ROUNDS; round++) {
		double without = plain();

		/* The first one's hook is new. */
		curve->measure(curve->n[0]);
		for (i = 0; i < POINTS && curve->n[i]; i++)
			more[i][round] = curve->measure(curve->n[i]) - without;
	}
	for (i = 0; i < POINTS && curve->n[i]; i++) {
		qsort(more[i], ROUNDS, sizeof(more[i][0]), compare);
		printf("%s\t%u\t%.0f\n", curve->name, curve->n[i],
		       more[i][ROUNDS / 2]);
	}
}

int main(void)
{
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (measure_init() || sem_init(&end, 0, 0)) {
		fprintf(stderr, "The clock does not count instructions here: "
				"the same work takes different times.\n");
		return 1;
	}
	methods_open();
	for (i = 0; i < sizeof(curves) / sizeof(curves[0]); i++)
		draw(&curves[i]);
	methods_close();
	return 0;
}

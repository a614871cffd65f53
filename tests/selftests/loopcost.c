// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a loop costs, in nanoseconds: instructions, in a guest whose clock they
 * are. The smallest of several runs, so that whatever else the guest does now
 * and then is not in it. unarmed.sh compares the numbers.
 *
 *	loopcost	without a module
 *	loopcost all	before anything was profiled; profiled itself; after that
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "work.h"

#define RUNS	7

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

static unsigned long long cost(void)
{
	unsigned long long least = ~0ULL;

	for (int i = 0; i < RUNS; i++) {
		unsigned long long start = now_ns();

		hot_a(60000000);
		start = now_ns() - start;
		if (start < least)
			least = start;
	}
	return least;
}

static int measure_all(void)
{
	static uint32_t buf;
	struct profil_status st;

	printf("before %llu\n", cost());
	if (start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK) != 0) {
		fprintf(stderr, "loopcost: cannot be profiled\n");
		return 1;
	}
	printf("profiled %llu\n", cost());
	if (stop(&st) != 0 || st.counted == 0) {
		fprintf(stderr, "loopcost: was not profiled\n");
		return 1;
	}
	/* The hook goes away some time after its last user. */
	sleep(5);
	printf("after %llu\n", cost());
	return 0;
}

int main(int argc, char **argv)
{
	(void)argv;
	/* What a guest does at its start is over after a while. */
	sleep(5);
	if (argc > 1)
		return measure_all();
	printf("bare %llu\n", cost());
	return 0;
}

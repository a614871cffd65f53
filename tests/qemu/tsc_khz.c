// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prints how many thousand times a second the TSC of this machine counts. An emulated
 * CPU has the same TSC. A guest that measures it on a busy machine may find a fiftieth,
 * and its clock then runs 50 times too fast.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Both clocks at one moment: the pair that took the shortest time. */
static void read_clocks(uint64_t *ns, uint64_t *tsc)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 100; i++) {
		uint64_t start = now_ns(), ticks = __rdtsc(), took = now_ns() - start;

		if (took < best) {
			best = took;
			*ns = start + took / 2;
			*tsc = ticks;
		}
	}
}

int main(void)
{
	uint64_t ns[2], tsc[2];

	read_clocks(&ns[0], &tsc[0]);
	nanosleep(&(struct timespec) { .tv_nsec = 20000000 }, NULL);
	read_clocks(&ns[1], &tsc[1]);
	printf("%.0f\n", (double)(tsc[1] - tsc[0]) * 1e6 / (double)(ns[1] - ns[0]));
	return 0;
}

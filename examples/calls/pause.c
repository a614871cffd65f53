// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil(2), paused: of two alternating phases only one is profiled. The counters
 * keep their values when profiling stops, and go on from there when it starts again.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define CPU_TIME	(CLOCKS_PER_SEC / 10)
#define ROUNDS		10

static unsigned short counters[64];

__attribute__((noinline, section("work_text")))
static void work(volatile unsigned long *sum)
{
	for (int i = 0; i < 10000; i++)
		*sum += 3;
}

/* The linker defines this for a section whose name is a C identifier. */
extern const char __start_work_text[];

static void work_for(clock_t time)
{
	volatile unsigned long sum = 0;
	clock_t end = clock() + time;

	while (clock() < end)
		work(&sum);
}

static unsigned int ticks(void)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		sum += counters[i];
	return sum;
}

int main(void)
{
	for (int round = 1; round <= ROUNDS; round++) {
		if (profil(counters, sizeof(counters), (size_t)__start_work_text,
			   0x10000) < 0) {
			perror("profil");
			return 1;
		}
		work_for(CPU_TIME);
		profil(counters, 0, 0, 0);	/* scale 0: off */
		work_for(CPU_TIME);
	}
	printf("%u ticks in work(), which ran for about %ld\n", ticks(),
	       2 * ROUNDS * CPU_TIME / (CLOCKS_PER_SEC / 100));
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pcsample(2): stores the PC of each tick, in order of time.
 */
#include <libprofil.h>
#include <stdio.h>
#include <time.h>

#define CPU_TIME	(CLOCKS_PER_SEC / 2)
#define PHASE(name)	__attribute__((noinline, section(#name "_text")))

/* The linker defines these for a section whose name is a C identifier. */
extern const char __start_first_text[], __stop_first_text[];
extern const char __start_second_text[], __stop_second_text[];

PHASE(first) static void first(volatile unsigned long *sum)
{
	for (int i = 0; i < 100000; i++)
		*sum += 3;
}

PHASE(second) static void second(volatile unsigned long *sum)
{
	for (int i = 0; i < 100000; i++)
		*sum ^= 5;
}

static char letter(uintptr_t pc)
{
	const char *at = (const char *)pc;

	if (at >= __start_first_text && at < __stop_first_text)
		return '1';
	if (at >= __start_second_text && at < __stop_second_text)
		return '2';
	return '.';	/* elsewhere: in clock() */
}

int main(void)
{
	static uintptr_t samples[1000];
	volatile unsigned long sum = 0;
	long n;

	if (pcsample(samples, 1000) < 0) {
		perror("pcsample");
		return 1;
	}
	while (clock() < CPU_TIME)
		first(&sum);
	while (clock() < 2 * CPU_TIME)
		second(&sum);
	n = pcsample(samples, 0);	/* off; returns the number of samples */

	printf("%ld samples: ", n);
	for (long i = 0; i < n; i++)
		putchar(letter(samples[i]));
	printf("\n");
	return 0;
}

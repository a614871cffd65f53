// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * load MILLIONS: a program to be profiled, of about so many millions of instructions,
 * in calls of 16 frames and some short ones. Prints the nanoseconds that these have
 * taken. Without MILLIONS it is silent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FRAMES	12

static volatile unsigned int sink;

static __attribute__((noinline)) void leaf(unsigned int n)
{
	while (n--)
		sink += n;
}

/* 40,000 instructions, in leaves of 80. */
static __attribute__((noinline)) void deep(unsigned int frames)
{
	if (frames) {
		deep(frames - 1);
		sink++;
		return;
	}
	for (unsigned int i = 0; i < 500; i++)
		leaf(15);
}

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned long i, calls = argc > 1 ? strtoul(argv[1], NULL, 10) * 25 : 0;
	unsigned long long start;

	deep(FRAMES);
	start = now();
	for (i = 0; i < calls; i++)
		deep(FRAMES);
	if (argc > 1)
		printf("%llu\n", now() - start);
	return 0;
}

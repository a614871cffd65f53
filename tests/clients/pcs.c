// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples itself with pcsample(), which it finds when it is preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

static volatile unsigned long sink;

static __attribute__((noinline)) void busy(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

int main(void)
{
	static uintptr_t samples[10000];
	long (*pcsample)(uintptr_t *, long) =
		(long (*)(uintptr_t *, long))dlsym(RTLD_DEFAULT, "pcsample");
	long before, n, i, good = 0;

	if (!pcsample)
		return 1;
	busy(20000000);
	before = pcsample(samples, 10000);
	busy(100000000);
	n = pcsample(NULL, 0);
	busy(20000000);
	for (i = 0; i < n; i++)
		good += samples[i] != 0;
	printf("%ld before, %ld samples\n", before, good);
	return n != good;
}

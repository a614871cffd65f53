// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Plain calls, some through libc, in a program without call frame information. Built with
 * frame pointers and without.
 */
#include <stdlib.h>

#define noinline	__attribute__((__noinline__, __noclone__))
#define barrier(p)	__asm__ volatile("" : : "r" (p) : "memory")

static noinline int leaf(int n)
{
	barrier(&n);
	return n + 1;
}

static noinline int recurse(int n)
{
	return n ? recurse(n - 1) + leaf(n) : leaf(0);
}

static noinline int compare(const void *a, const void *b)
{
	return recurse(3) - leaf(3) + *(const char *)a - *(const char *)b;
}

int main(void)
{
	char letters[] = "the quick brown fox jumps over the lazy dog";

	for (int i = 0; i < 2; i++) {
		qsort(letters, sizeof(letters) - 1, 1, compare);
		barrier(letters);
	}
	return recurse(20) < 0;
}

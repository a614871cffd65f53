// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sprofil(2): measures the time in the program's own text, with a region, and the
 * time elsewhere, such as in libc, with the overflow bin. The program sorts numbers
 * by the sum of their digits: libc sorts, and the program adds digits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/profil.h>
#include <time.h>

#define CPU_TIME	(CLOCKS_PER_SEC * 1L)
#define NUMBERS		10000

extern const char __executable_start[], etext[];	/* defined by the linker */

static int digits(int number)
{
	int sum = 0;

	for (; number; number /= 10)
		sum += number % 10;
	return sum;
}

static int compare(const void *a, const void *b)
{
	return digits(*(const int *)a) - digits(*(const int *)b);
}

int main(void)
{
	size_t text = (size_t)(etext - __executable_start), i;
	unsigned int *own = calloc(text / 4 + 1, 4), other = 0, ticks = 0;
	struct prof regions[] = {
		/* One counter for 4 bytes of text. */
		{ own, text, (size_t)__executable_start, 0x10000 },
		/* All other pcs. */
		{ &other, sizeof(other), 0, 2 },
	};
	static int numbers[NUMBERS];
	struct timeval period;

	if (!own || sprofil(regions, 2, &period, PROF_UINT) < 0) {
		perror("sprofil");
		return 1;
	}
	while (clock() < CPU_TIME) {
		for (i = 0; i < NUMBERS; i++)
			numbers[i] = rand() % 1000;
		qsort(numbers, NUMBERS, sizeof(numbers[0]), compare);
	}
	sprofil(NULL, 0, NULL, 0);	/* no regions: off */

	for (i = 0; i <= text / 4; i++)
		ticks += own[i];
	printf("%u ticks in the program, %u elsewhere, one each %ld us\n",
	       ticks, other, (long)period.tv_usec);
	free(own);
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil(2): shows which parts of a function take the time. Each counter is for two
 * bytes of the function's text.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define CPU_TIME	(CLOCKS_PER_SEC * 1L)

/* In a section of its own, so that the linker defines its start and end below. */
__attribute__((noinline, section("steps_text")))
static unsigned long steps(unsigned long n)
{
	unsigned long count = 0;

	for (; n > 1; count++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return count;
}

extern const char __start_steps_text[], __stop_steps_text[];

int main(void)
{
	static unsigned short counters[512];
	size_t offset = (size_t)__start_steps_text;
	size_t text = (size_t)__stop_steps_text - offset;
	unsigned long n, sum = 0;

	if (profil(counters, sizeof(counters), offset, 0x10000) < 0) {
		perror("profil");
		return 1;
	}
	while (clock() < CPU_TIME)
		for (n = 1; n < 10000; n++)
			sum += steps(n);
	profil(counters, 0, 0, 0);	/* scale 0: off */

	printf("%lu steps, here:\n", sum);
	for (size_t i = 0; i < text / 2 && i < sizeof(counters) / 2; i++)
		if (counters[i])
			printf("steps+0x%-3zx %3u ticks\n", 2 * i, counters[i]);
	return 0;
}

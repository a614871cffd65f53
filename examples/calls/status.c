// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil_get_status(): reads the counts of ticks while a profile runs. A tick is
 * "outside" if it finds the program outside the profiled text.
 */
#include <libprofil.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define CPU_TIME	(CLOCKS_PER_SEC / 2)

__attribute__((noinline, section("work_text")))
static void work(volatile unsigned long *sum)
{
	for (int i = 0; i < 100000; i++)
		*sum += 3;
}

/* The linker defines this for a section whose name is a C identifier. */
extern const char __start_work_text[];

int main(void)
{
	static unsigned short counters[64];
	struct profil_status status = { .size = sizeof(status) };
	volatile unsigned long sum = 0;

	if (profil(counters, sizeof(counters), (size_t)__start_work_text,
		   0x10000) < 0) {
		perror("profil");
		return 1;
	}
	for (int i = 1; i <= 3; i++) {
		while (clock() < i * CPU_TIME)
			work(&sum);
		if (profil_get_status(&status) < 0) {
			perror("profil_get_status");
			return 1;
		}
		printf("%llu ticks of %llu us: %llu counted, %llu outside, "
		       "%llu dropped\n",
		       (unsigned long long)status.ticks,
		       (unsigned long long)status.period_ns / 1000,
		       (unsigned long long)status.counted,
		       (unsigned long long)status.outside,
		       (unsigned long long)status.dropped);
	}
	profil(counters, 0, 0, 0);	/* scale 0: off */
	return 0;
}

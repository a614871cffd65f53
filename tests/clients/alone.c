// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * alone MILLIONS [wait]: works, and prints a sum that is always the same, and its CPU time
 * in milliseconds; since a profile was there, with wait.
 */
#include <time.h>

#include "work.h"

WORK(three)
WORK(one)

static long cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int is_profiled(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024];
	int is = 0;

	while (maps && !is && fgets(line, sizeof(line), maps))
		is = strstr(line, "/dev/profil") != NULL;
	if (maps)
		fclose(maps);
	return is;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? 100 * strtoul(argv[1], NULL, 10) : 0;
	long before = 0;

	if (argc > 2) {
		while (!is_profiled())
			usleep(10000);
		before = cpu_ms();
	}
	for (; n; n--) {
		three(7500);
		one(2500);
	}
	printf("%lu %ld\n", sink, cpu_ms() - before);
	return 7;
}

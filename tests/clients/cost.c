// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * cost N COMMAND...: runs the command N times after a first time that is not
 * counted, and prints the mean of the nanoseconds that passed: in a guest whose
 * clock counts instructions, what it costs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void run(char **arguments)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execv(arguments[0], arguments);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0, i;
	long long start;

	if (n < 1)
		return 2;
	run(argv + 2);
	start = now();
	for (i = 0; i < n; i++)
		run(argv + 2);
	printf("%lld\n", (now() - start) / n);
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hot MILLIONS [END [PROGRAM]]: works three times as much in three() as in one(), then
 * ends in some way: exit (default), _exit, also of a cancelled thread, abort, segv, exec
 * of itself or PROGRAM, wait, or by taking memory until that is its end.
 */
#include <pthread.h>
#include <signal.h>

#include "work.h"

WORK(three)
WORK(one)

static void work(unsigned long millions)
{
	for (unsigned long i = 0; i < 100 * millions; i++) {
		three(7500);
		one(2500);
	}
}

static void take_memory(void)
{
	void *volatile memory;

	while ((memory = malloc(1 << 20)))
		memset(memory, 1, 1 << 20);
}

static void end(const char *how, const char *program)
{
	static char *again[] = { "hot", "40", "_exit", NULL };

	if (!strcmp(how, "cancelled"))
		pthread_cancel(pthread_self());
	if (!strcmp(how, "_exit") || !strcmp(how, "cancelled"))
		_exit(3);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		raise(SIGSEGV);
	if (!strcmp(how, "exec"))
		execv(program, again);
	if (!strcmp(how, "memory"))
		take_memory();
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	work(argc > 1 ? strtoul(argv[1], NULL, 10) : 100);
	if (argc > 2) {
		puts("ready");
		fflush(stdout);
		end(argv[2], argc > 3 ? argv[3] : "/proc/self/exe");
	}
	return 0;
}

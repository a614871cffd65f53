// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a process does with the kernel that a profiler may take part in: a line for
 * each, with its name, and instructions, a tab between them, as median. To be run by
 * itself and in each profiler, in a guest as bench.c is.
 *
 *	operations PROGRAM	PROGRAM is what is started, and ends at once
 *	operations COMMAND ARGUMENT...	only what that takes, after a time that is not counted
 */
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

#include "measure.h"
#include "method.h"

#define TIMES	41

static char **command;

static void wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail("child");
}

static void do_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	wait_for(pid);
}

static void do_start(void)
{
	pid_t pid;

	if (posix_spawn(&pid, command[0], NULL, NULL, command, environ))
		fail("posix_spawn");
	wait_for(pid);
}

static void *nothing(void *unused)
{
	return unused;
}

static void do_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
		fail("pthread");
}

/* There and back are two. */
static void do_switches(void)
{
	for (int i = 0; i < 50; i++)
		switch_to_partner();
}

static void measure(const char *name, void (*operation)(void), unsigned int each,
		    const volatile uint64_t *from)
{
	operation();
	printf("%s\t%.0f\n", name, measure_call(operation, TIMES, from) / each);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	command = argv + 1;
	if (argc > 2) {
		do_start();
		printf("%.0f\n", measure_call(do_start, 1, NULL));
		return 0;
	}
	measure("fork and exit", do_fork, 1, NULL);
	measure("start of a program", do_start, 1, NULL);
	measure("thread", do_thread, 1, NULL);
	start_partner(0);
	measure("context switch", do_switches, 100, NULL);
	stop_partner();
	/* Back from the partner, which has worked for 4.2 ms. */
	start_partner(1400000);
	measure("switch after 4 ms", switch_to_partner, 1, &partner_yields);
	stop_partner();
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a process does with the kernel that a profiler may take part in: a line for
 * each, with its name, and instructions, a tab between them, as median. To be run by
 * itself and in each profiler, in a guest as bench.c is.
 *
 *	operations PROGRAM	PROGRAM is what is started, and ends at once
 */
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMES	41

extern char **environ;
static char *program;

static void or_end(int failed, const char *what)
{
	if (failed) {
		perror(what);
		exit(1);
	}
}

static void wait_for(pid_t pid)
{
	int status;

	or_end(pid < 0 || waitpid(pid, &status, 0) != pid || status, "child");
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
	char *arguments[] = { program, NULL };
	pid_t pid;

	or_end(posix_spawn(&pid, program, NULL, NULL, arguments, environ),
	       "posix_spawn");
	wait_for(pid);
}

static void *nothing(void *unused)
{
	return unused;
}

static void do_thread(void)
{
	pthread_t thread;

	or_end(pthread_create(&thread, NULL, nothing, NULL), "pthread_create");
	or_end(pthread_join(thread, NULL), "pthread_join");
}

/* --- two threads that yield to one another ---------------------------------------- */

static volatile int partner_ends;

static void *yield(void *unused)
{
	while (!partner_ends)
		sched_yield();
	return unused;
}

static void do_switches(void)
{
	int i;

	for (i = 0; i < 50; i++)
		sched_yield();
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void measure(const char *name, void (*operation)(void), unsigned int each)
{
	static uint64_t took[TIMES];
	int i;

	operation();
	for (i = 0; i < TIMES; i++) {
		took[i] = now();
		operation();
		took[i] = now() - took[i];
	}
	qsort(took, TIMES, sizeof(took[0]), compare);
	printf("%s\t%llu\n", name, (unsigned long long)took[TIMES / 2] / each);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sched_param param = { .sched_priority = 1 };
	pthread_t partner;

	if (argc != 2)
		return 2;
	program = argv[1];
	measure("fork and exit", do_fork, 1);
	measure("start of a program", do_start, 1);
	measure("thread", do_thread, 1);
	or_end(sched_setscheduler(0, SCHED_FIFO, &param), "sched_setscheduler");
	or_end(pthread_create(&partner, NULL, yield, NULL), "pthread_create");
	/* There and back are two. */
	measure("context switch", do_switches, 100);
	partner_ends = 1;
	or_end(pthread_join(partner, NULL), "pthread_join");
	return 0;
}

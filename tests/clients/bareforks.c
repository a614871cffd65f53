// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * bareforks: forks in ways that no handler of pthread_atfork() hears of; each
 * child works and calls exit(). Then works on, and is killed before it can say
 * that it ended.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;

static __attribute__((noinline)) void before(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

static __attribute__((noinline)) void after(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink -= i;
}

static __attribute__((noinline)) void in_child(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink ^= i;
	exit(0);
}

int main(void)
{
	before(30000000);
	if (_Fork() == 0)
		in_child(30000000);
	if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
		in_child(30000000);
	while (wait(NULL) > 0)
		;
	after(30000000);
	raise(SIGKILL);
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "steps.h"

volatile unsigned long blocks;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

static void child(void (*call)(void))
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	raise(SIGSTOP);
	call();
	raise(SIGSTOP);
	_exit(0);
}

/* Instructions from one SIGSTOP of a child to the next; 0 without ptrace. */
static int steps_between_stops(pid_t pid)
{
	int status, n = 0;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 0;

	do {
		n++;
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL))
			return 0;
		if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			return 0;
	} while (WSTOPSIG(status) != SIGSTOP);

	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return n;
}

int steps(void (*call)(void))
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return 0;
	if (!pid)
		child(call);

	return steps_between_stops(pid);
}

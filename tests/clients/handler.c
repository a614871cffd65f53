// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * handler: forks in a signal handler, on a stack of the size that SIGSTKSZ has
 * always had and not a byte more, as programs do that start a debugger when
 * they crash. Exits as the child does, with 7.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE	8192

static volatile int status;

static void handle(int signal)
{
	pid_t child = fork();
	int how = 0;

	(void)signal;
	if (child == 0)
		_exit(7);
	if (waitpid(child, &how, 0) == child)
		status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

int main(void)
{
	char *memory = mmap(NULL, 2 * SIZE, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = memory + SIZE, .ss_size = SIZE };
	struct sigaction action = {
		.sa_handler = handle, .sa_flags = SA_ONSTACK,
	};

	if (memory == MAP_FAILED ||
	    mprotect(stack.ss_sp, SIZE, PROT_READ | PROT_WRITE) < 0 ||
	    sigaltstack(&stack, NULL) < 0 || sigaction(SIGUSR1, &action, NULL) < 0)
		return 1;
	raise(SIGUSR1);
	return status;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of the processor's own programs, by ptrace. */
#include <sys/ptrace.h>
#include <sys/user.h>

static void get_registers(pid_t tid, struct registers *to)
{
	struct user_regs_struct u;

	ptrace(PTRACE_GETREGS, tid, NULL, &u);
	*to = (struct registers) {
		{ u.rax, u.rdx, u.rcx, u.rbx, u.rsi, u.rdi, u.rbp, u.rsp, u.r8, u.r9,
		  u.r10, u.r11, u.r12, u.r13, u.r14, u.r15, u.rip }, u.rax
	};
}

static bool is_handled(pid_t tid, int signal)
{
	char path[64], line[256];
	unsigned long long caught = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	status = fopen(path, "r");
	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "SigCgt: %llx", &caught);
	if (status)
		fclose(status);
	return caught >> (signal - 1) & 1;
}

static void resume(pid_t tid, int signal)
{
	ptrace(PTRACE_SINGLESTEP, tid, NULL, (void *)(long)signal);
}

/* A thread's birth is told to its parent: it is still at its step. */
static pid_t next_stop(int *status)
{
	pid_t tid;

	while ((tid = waitpid(-1, status, __WALL)) > 0 &&
	       *status >> 8 == (SIGTRAP | PTRACE_EVENT_CLONE << 8))
		resume(tid, 0);
	return tid;
}

static pid_t start(char **argv)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[0], argv);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, NULL,
	       (void *)(long)(PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
	return pid;
}

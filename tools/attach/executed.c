// SPDX-License-Identifier: LGPL-2.1-or-later
#include "attach/executed.h"
#include "attach/thread.h"
#include "common/message.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

static struct thread thread;

bool executed_seize(pid_t pid)
{
	int error;

	/* It has the same one, which cannot rest: ours would forbid that. */
	if (prctl(PR_GET_SECCOMP) > 0) {
		warn("profil has a seccomp filter, which may kill the command for our system calls: it runs without a profile");
		return false;
	}
	error = thread_seize(&thread, pid, PTRACE_O_TRACEEXEC);
	if (error)
		warn("cannot trace the command, which runs without a profile: %s%s",
		     strerror(error),
		     error == EPERM ? " (see kernel.yama.ptrace_scope in ptrace(2))" : "");
	return !error;
}

const struct thread *executed_hold(void)
{
	enum thread_stop stop;

	for (;;) {
		stop = thread_wait(&thread, 1000);
		if (stop == THREAD_EXECUTED)
			return thread_hold(&thread) ? NULL : &thread;
		if (stop == THREAD_GONE)
			return NULL;
		if (stop != THREAD_BUSY)
			thread_continue(&thread,
					stop == THREAD_SIGNALLED ? thread.signal : 0);
	}
}

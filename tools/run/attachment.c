// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/attachment.h"
#include "attach/executed.h"
#include "common/memory.h"
#include "common/message.h"
#include "run/kept_map.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void attachment_begin(pid_t parent)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		exit(0);
}

void attachment_delay(double seconds)
{
	struct timespec left = { .tv_sec = (time_t)seconds };
	sigset_t term;

	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	if (seconds > 0 && sigtimedwait(&term, NULL, &left) == SIGTERM)
		exit(0);
}

/*
 * Lets the command execute its program, and stops it there. What fails leaves the command
 * to run: the end of this process closes the gate, and lets go what it traces.
 */
static const struct thread *hold(const struct attachment *attachment)
{
	const struct thread *held;
	char byte;

	if (read(attachment->gate, &byte, 1) != 1 ||
	    !executed_seize(attachment->attach.pid) ||
	    send(attachment->gate, &byte, 1, MSG_NOSIGNAL) != 1)
		exit(EXIT_BROKEN);
	held = executed_hold();
	if (!held)
		exit(0);
	return held;
}

static void __attribute__((noreturn)) run(const struct attachment *attachment)
{
	struct attach attach = attachment->attach;
	struct attached attached;

	if (attachment->muted)
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
	if (attachment->gate >= 0)
		attach.held = hold(attachment);
	attachment_delay(attachment->delay);
	attach_check(attach.pid);
	attached = attach_run(&attach);
	kept_map_take_from(attach.directory, &attached, attach.pid);
	if (attachment->cpu_ns)
		__atomic_fetch_add(attachment->cpu_ns, attached.cpu_ns, __ATOMIC_RELAXED);
	exit(attached.replaced ? ATTACHMENT_REPLACED : 0);
}

pid_t attachment_start(const struct attachment *attachment)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		warn("cannot start a process: %s", strerror(errno));
	if (pid == 0) {
		attachment_begin(parent);
		run(attachment);
	}
	return pid;
}

void attachment_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGTERM);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

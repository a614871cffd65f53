// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/switch.h"
#include "common/end_signals.h"
#include "common/memory.h"
#include "common/message.h"
#include "run/follow.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_signals(int signal)
{
	sigset_t signals;

	end_signals(&signals);
	sigaddset(&signals, signal);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

/* The next signal; 0: the process has ended. */
static int next_signal(int signals, int pidfd)
{
	struct pollfd events[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = pidfd, .events = POLLIN },
	};
	struct signalfd_siginfo got;

	while (poll(events, length_of(events), -1) < 0)
		;
	if (events[1].revents || read(signals, &got, sizeof(got)) != sizeof(got))
		return 0;
	return (int)got.ssi_signo;
}

/* The process that has the profile now, or 0. A profile may also have ended by itself. */
static pid_t switch_once(pid_t profiling, const struct attachment *root,
			 const struct switching *switching)
{
	if (profiling > 0 && waitpid(profiling, NULL, WNOHANG) == 0) {
		attachment_end(profiling);
		return 0;
	}
	return switching->follow ? follow_start(root, switching->seconds, false) :
				   attachment_start(root);
}

void switch_run(const struct attachment *root, const struct switching *switching)
{
	int signals = open_signals(switching->signal);
	int pidfd = (int)syscall(SYS_pidfd_open, root->attach.pid, 0);
	pid_t profiling = 0;

	while (next_signal(signals, pidfd) == switching->signal)
		profiling = switch_once(profiling, root, switching);
	attachment_end(profiling);
}

pid_t switch_start(const struct attachment *root, const struct switching *switching)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		warn("cannot start a process: %s", strerror(errno));
	if (pid)
		return pid;
	attachment_begin(parent);
	switch_run(root, switching);
	exit(0);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/command.h"
#include "common/memory.h"
#include "common/message.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Whoever signals us means the command: what a process has sent goes on to it.
 * What the kernel sends reaches it anyway, from the terminal for example, but for
 * the timers that a process keeps when it executes another program. We stop when
 * the command does, and not before.
 *
 * We must live to print the profile: all signals are blocked that are not about
 * ourselves, and taken one by one.
 */
static const int ours[] = {
	SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP,
	/* We go on when we are told to, and then see to the command. */
	SIGCONT,
};

static const int timers[] = { SIGALRM, SIGPROF, SIGVTALRM };

static void block_signals(sigset_t *blocked, sigset_t *before)
{
	size_t i;

	sigfillset(blocked);
	for (i = 0; i < length_of(ours); i++)
		sigdelset(blocked, ours[i]);
	sigprocmask(SIG_BLOCK, blocked, before);
}

static bool is_timer(int signal)
{
	size_t i;

	for (i = 0; i < length_of(timers); i++)
		if (timers[i] == signal)
			return true;
	return false;
}

/* The child knows what it has sent to its parent. */
static bool is_for(pid_t child, const siginfo_t *signal)
{
	return signal->si_code <= 0 ? signal->si_pid != child :
				      is_timer(signal->si_signo);
}

/*
 * In the child of a vfork: until it executes the command, memory is its
 * parent's, which waits.
 */
static void __attribute__((noreturn)) become(char **arguments, bool alone,
					     const sigset_t *before,
					     const struct sigaction *children)
{
	char pid[16];

	if (alone) {
		snprintf(pid, sizeof(pid), "%d", (int)getpid());
		setenv("PROFIL_CHILDREN", pid, 1);
	}
	if (children->sa_handler != SIG_DFL)
		sigaction(SIGCHLD, children, NULL);
	sigprocmask(SIG_SETMASK, before, NULL);
	execvp(arguments[0], arguments);
	warn("%s: %s", arguments[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Of that signal and no other one that waits. */
static void change_mask(int how, int signal)
{
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, signal);
	sigprocmask(how, &only, NULL);
}

/* The signal that the child has been stopped by, and has not gone on since; or 0. */
static int stop_signal(pid_t child)
{
	siginfo_t state = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)child, &state, WSTOPPED | WNOHANG | WNOWAIT) < 0 ||
	    state.si_pid != child)
		return 0;
	return state.si_status;
}

/* Whether it has gone on since the last SIGCHLD: it may have stopped anew. */
static bool has_gone_on(pid_t child)
{
	const struct timespec now = { 0, 0 };
	siginfo_t signal;
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, SIGCHLD);
	return sigtimedwait(&only, &signal, &now) == SIGCHLD &&
	       signal.si_pid == child && signal.si_code == CLD_CONTINUED;
}

/*
 * Our shell waits for us: it is to see us stopped as the child is. If the signal
 * came from the terminal, to both of us, ours is waiting, and taken with this one.
 */
static void stop_as(pid_t child, int signal)
{
	raise(signal);
	change_mask(SIG_UNBLOCK, signal);
	change_mask(SIG_BLOCK, signal);
	if (stop_signal(child) && !has_gone_on(child))
		kill(child, SIGCONT);
}

/* Whether it has ended; while it is stopped, so are we. */
static bool has_ended(pid_t child, int *status, struct rusage *usage)
{
	int stop;

	for (;;) {
		if (wait4(child, status, WNOHANG, usage) == child)
			return true;
		stop = stop_signal(child);
		if (!stop)
			return false;
		stop_as(child, stop);
	}
}

/* Until the child has ended. */
static void attend(pid_t child, const sigset_t *blocked, struct command_end *end)
{
	struct rusage usage;
	siginfo_t signal;

	for (;;) {
		if (sigwaitinfo(blocked, &signal) < 0)
			continue;
		if (signal.si_signo != SIGCHLD && is_for(child, &signal))
			kill(child, signal.si_signo);
		if (signal.si_signo == SIGCHLD &&
		    has_ended(child, &end->status, &usage))
			break;
	}
	end->cpu_ns = ((uint64_t)usage.ru_utime.tv_sec +
		       (uint64_t)usage.ru_stime.tv_sec) * 1000000000 +
		      ((uint64_t)usage.ru_utime.tv_usec +
		       (uint64_t)usage.ru_stime.tv_usec) * 1000;
}

struct command_end command_run(char **arguments, bool alone)
{
	struct sigaction standard = { .sa_handler = SIG_DFL }, children;
	struct command_end end;
	sigset_t blocked, before;
	pid_t child;

	block_signals(&blocked, &before);
	/* Where SIGCHLD is ignored, children leave no status. */
	sigaction(SIGCHLD, &standard, &children);
	child = vfork();
	if (child < 0)
		die("vfork: %s", strerror(errno));
	if (child == 0)
		become(arguments, alone, &before, &children);
	attend(child, &blocked, &end);
	return end;
}

/* With signals as they are for any program: a table may be long, or nobody reads it. */
void command_help(char **arguments)
{
	struct command_end end;
	sigset_t blocked, none;
	pid_t pid;

	block_signals(&blocked, &none);
	pid = fork();
	if (pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execv(arguments[0], arguments);
		_exit(127);
	}
	if (pid > 0)
		attend(pid, &blocked, &end);
}

void command_exit(int status)
{
	struct rlimit none = { 0, 0 };

	if (WIFSIGNALED(status)) {
		/* The core is the command's, not ours. */
		setrlimit(RLIMIT_CORE, &none);
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
		change_mask(SIG_UNBLOCK, WTERMSIG(status));
		exit(128 + WTERMSIG(status));
	}
	exit(WEXITSTATUS(status));
}

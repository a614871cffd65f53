// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/command.h"
#include "common/memory.h"
#include "common/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Runs the command. profil passes on to it the signals that other processes send
 * to profil. Signals of the kernel, as from the terminal, reach the command
 * without that. Timers are an exception: a process that executes profil may have
 * set one. profil stops when the command stops, and not before.
 *
 * profil must survive to print the profile. So it blocks all signals that are not
 * about itself, and takes them one by one.
 */
static const int ours[] = {
	SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP,
	/* profil continues first, then the command. */
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

/* The child does not get back the signals that it sent to profil. */
static bool is_for(pid_t child, const siginfo_t *signal)
{
	return signal->si_code <= 0 ? signal->si_pid != child :
				      is_timer(signal->si_signo);
}

/* By the rules of Yama, a process is traced by those that its parent has started, too. */
static void wait_at(int gate)
{
	char byte = 0;

	prctl(PR_SET_PTRACER, getppid());
	if (send(gate, &byte, 1, MSG_NOSIGNAL) == 1)
		while (read(gate, &byte, 1) < 0 && errno == EINTR)
			;
	close(gate);
}

/*
 * Runs in the child of a vfork. Until it executes the command, it uses the memory
 * of its parent, which waits. Only with a gate, it is the child of a fork.
 */
static void __attribute__((noreturn)) become(char **arguments, bool alone, int gate,
					     const sigset_t *before,
					     const struct sigaction *children)
{
	char pid[16];
	int error;

	if (alone) {
		snprintf(pid, sizeof(pid), "%d", (int)getpid());
		setenv("PROFIL_CHILDREN", pid, 1);
	}
	if (gate >= 0)
		wait_at(gate);
	if (children->sa_handler != SIG_DFL)
		sigaction(SIGCHLD, children, NULL);
	sigprocmask(SIG_SETMASK, before, NULL);
	execvp(arguments[0], arguments);
	error = errno;
	warn("cannot run %s: %s", arguments[0], strerror(error));
	_exit(error == ENOENT ? 127 : 126);
}

/* Changes the mask for this signal only, so that no other pending one arrives. */
static void change_mask(int how, int signal)
{
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, signal);
	sigprocmask(how, &only, NULL);
}

/* The signal that stopped the child; 0 if it runs. */
static int stop_signal(pid_t child)
{
	siginfo_t state = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)child, &state, WSTOPPED | WNOHANG | WNOWAIT) < 0 ||
	    state.si_pid != child)
		return 0;
	return state.si_status;
}

/* Whether the child has continued since the last SIGCHLD; it may have stopped again. */
static bool has_continued(pid_t child)
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
 * Stops profil as the child has stopped, for the shell, which waits for profil. If
 * the terminal sent the signal to both, one is already pending here, and this one
 * merges with it.
 */
static void stop_as(pid_t child, int signal)
{
	raise(signal);
	change_mask(SIG_UNBLOCK, signal);
	change_mask(SIG_BLOCK, signal);
	if (stop_signal(child) && !has_continued(child))
		kill(child, SIGCONT);
}

/* Whether the child has ended. As long as it is stopped, profil stops too. */
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

/*
 * Signals that other processes send to profil are for the child, but for one. That would
 * end most programs: it is for nobody if there is no profile.
 */
static void pass_on(const struct command *command, const siginfo_t *signal)
{
	if (command->switching > 0 && signal->si_signo == command->signal)
		kill(command->switching, signal->si_signo);
	else if (signal->si_signo != command->signal && is_for(command->pid, signal))
		kill(command->pid, signal->si_signo);
}

/* Waits for the end of the child, and passes signals on. */
static void attend(const struct command *command, struct command_end *end)
{
	struct rusage usage;
	siginfo_t signal;

	for (;;) {
		if (sigwaitinfo(&command->blocked, &signal) < 0)
			continue;
		if (signal.si_signo != SIGCHLD)
			pass_on(command, &signal);
		else if (has_ended(command->pid, &end->status, &usage))
			break;
	}
	end->cpu_ns = ((uint64_t)usage.ru_utime.tv_sec +
		       (uint64_t)usage.ru_stime.tv_sec) * 1000000000 +
		      ((uint64_t)usage.ru_utime.tv_usec +
		       (uint64_t)usage.ru_stime.tv_usec) * 1000;
}

struct command command_start(char **arguments, bool alone, bool gated)
{
	struct sigaction standard = { .sa_handler = SIG_DFL }, children;
	struct command command = { .gate = -1 };
	int ends[2] = { -1, -1 };
	sigset_t before;

	block_signals(&command.blocked, &before);
	/* If SIGCHLD is ignored, children leave no status. */
	sigaction(SIGCHLD, &standard, &children);
	if (gated && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		die("cannot make a socket: %s", strerror(errno));
	command.pid = gated ? fork() : vfork();
	if (command.pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (command.pid == 0) {
		if (gated)
			close(ends[0]);
		become(arguments, alone, ends[1], &before, &children);
	}
	if (gated)
		close(ends[1]);
	command.gate = ends[0];
	return command;
}

void command_open(struct command *command)
{
	if (command->gate >= 0)
		close(command->gate);
	command->gate = -1;
}

struct command_end command_wait(const struct command *command)
{
	struct command_end end;

	attend(command, &end);
	return end;
}

/* The program gets the default signal mask: SIGPIPE must end it, for example. */
void command_help(char **arguments, bool quiet)
{
	struct command program = { .gate = -1 };
	struct command_end end;
	sigset_t none;

	block_signals(&program.blocked, &none);
	program.pid = fork();
	if (program.pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (quiet)
			dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execv(arguments[0], arguments);
		_exit(127);
	}
	if (program.pid < 0) {
		warn("cannot start a process: %s", strerror(errno));
		return;
	}
	attend(&program, &end);
	if (WIFSIGNALED(end.status) && WTERMSIG(end.status) != SIGINT)
		warn("%s was ended by a signal (%s): its table or the names are not complete",
		     arguments[0], strsignal(WTERMSIG(end.status)));
}

void command_exit(int status)
{
	struct rlimit none = { 0, 0 };

	if (WIFSIGNALED(status)) {
		/* The command has left its core file already. */
		setrlimit(RLIMIT_CORE, &none);
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
		change_mask(SIG_UNBLOCK, WTERMSIG(status));
		exit(128 + WTERMSIG(status));
	}
	exit(WEXITSTATUS(status));
}

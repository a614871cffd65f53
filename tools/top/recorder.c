// SPDX-License-Identifier: LGPL-2.1-or-later
#include "top/recorder.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_MOST	512

static pid_t child;

/* The terminal sends its signals to the child, too. Those of processes are passed on. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
	int error = errno;

	(void)context;
	if (info->si_code <= 0 && info->si_pid != child)
		kill(child, signal);
	errno = error;
}

/* The child's end is this one's. */
static void pass_signals_on(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
	struct sigaction action = {
		.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART,
	};
	size_t i;

	for (i = 0; i < length_of(signals); i++)
		sigaction(signals[i], &action, NULL);
}

static int make_output(void)
{
	FILE *file = tmpfile();
	int fd;

	if (!file)
		die("cannot make a file in " P_tmpdir ": %s", strerror(errno));
	fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
	fclose(file);
	return fd;
}

static void __attribute__((noreturn)) become(char **arguments, int output)
{
	int nothing = open("/dev/null", O_RDONLY);

	dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	close(nothing);
	execv(arguments[0], arguments);
	warn("cannot run %s: %s", arguments[0], strerror(errno));
	_exit(EXIT_BROKEN);
}

/* SIGHUP may be ignored, as by nohup: the child begins with the same signals. */
void recorder_start(struct recorder *recorder, char **arguments)
{
	*recorder = (struct recorder){ .output = make_output() };
	recorder->pid = child = fork();
	if (child < 0)
		die("cannot start a process: %s", strerror(errno));
	if (child == 0)
		become(arguments, recorder->output);
	recorder->pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	if (recorder->pidfd < 0)
		die("cannot watch a process: %s", strerror(errno));
	pass_signals_on();
	recorder->errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(recorder->output, STDERR_FILENO);
}

bool recorder_wait(const struct recorder *recorder, int ms)
{
	struct pollfd end = { .fd = recorder->pidfd, .events = POLLIN };

	return poll(&end, 1, ms) > 0;
}

char *recorder_line(const struct recorder *recorder, bool first)
{
	off_t size = lseek(recorder->output, 0, SEEK_CUR);
	off_t from = size > LINE_MOST && !first ? size - LINE_MOST : 0;
	char text[LINE_MOST + 1], *line;
	ssize_t n = pread(recorder->output, text, LINE_MOST, from);

	while (n > 0 && strchr("\r\n", text[n - 1]))
		n--;
	text[n > 0 ? n : 0] = '\0';
	if (first)
		text[strcspn(text, "\n")] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	return clean_text(strrchr(line, '\r') ? strrchr(line, '\r') + 1 : line);
}

void recorder_release(struct recorder *recorder)
{
	if (recorder->errors < 0)
		return;
	dup2(recorder->errors, STDERR_FILENO);
	close(recorder->errors);
	recorder->errors = -1;
}

void recorder_show(struct recorder *recorder)
{
	char text[65536];
	ssize_t n;

	while ((n = pread(recorder->output, text, sizeof(text), recorder->shown)) > 0) {
		recorder->shown += n;
		fwrite(text, 1, (size_t)n, stdout);
	}
	fflush(stdout);
}

void recorder_exit(const struct recorder *recorder)
{
	struct rlimit none = { 0, 0 };
	int status = 0;

	while (waitpid(recorder->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status)) {
		setrlimit(RLIMIT_CORE, &none);
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "serve/job.h"
#include "common/limits.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_MOST	1024
/*
 * What was told to end has so long for it. profil finds a thread to stop in 3 s, or not at all,
 * twice if it is about to tell of new objects. Its work in the process survives a kill.
 */
#define END_SECONDS	10

/* --- In the process of the job -------------------------------------------------------- */

static bool stopped;

static void __attribute__((noreturn)) become(const struct job_options *options,
					     char **arguments, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_BROKEN);
	if (!strcmp(arguments[1], "report"))
		limits_of_report();
	else
		dup2(STDERR_FILENO, STDOUT_FILENO);
	sigprocmask(SIG_SETMASK, &options->mask, NULL);
	execv(arguments[0], arguments);
	warn("cannot run %s: %s", arguments[0], strerror(errno));
	_exit(EXIT_BROKEN);
}

/* Runs it to its end. SIGTERM is passed on: profil then lets the process go. */
static int run(const struct job_options *options, char **arguments)
{
	const struct timespec most = { .tv_sec = END_SECONDS };
	pid_t parent = getpid(), pid = stopped ? -1 : fork();
	int status = EXIT_BROKEN << 8;
	sigset_t signals;
	int signal;

	if (pid == 0)
		become(options, arguments, parent);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGCHLD);
	while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
		signal = sigtimedwait(&signals, NULL, stopped ? &most : NULL);
		if (signal == SIGTERM)
			kill(pid, SIGTERM);
		else if (signal < 0 && errno == EAGAIN)
			kill(pid, SIGKILL);
		stopped |= signal == SIGTERM;
	}
	return status;
}

/* A profile has files and no directories. */
static void remove_all(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	if (rmdir(path) < 0)
		warn("cannot remove %s: %s", path, strerror(errno));
}

/* Where its programs are, if it is in a container; see report --root. */
static char *root_of(pid_t pid)
{
	char *theirs = format_text("/proc/%d/ns/mnt", pid);
	char one[64] = "", other[64] = "";

	if (readlink(theirs, one, sizeof(one) - 1) <= 0 ||
	    readlink("/proc/self/ns/mnt", other, sizeof(other) - 1) <= 0 ||
	    !strcmp(one, other))
		return format_text("--root=");
	return format_text("--root=/proc/%d/root", pid);
}

static int profile(const struct job_options *options, char *directory, pid_t pid,
		   unsigned int seconds)
{
	char *profil = (char *)(uintptr_t)options->profil;
	char *profiles[] = {
		profil, format_text("--pid=%d", pid), format_text("--duration=%u", seconds),
		format_text("--rate=%s", options->rate), format_text("--output=%s", directory),
		format_text("--quiet"), format_text("--no-names"),
		options->follow ? format_text("--follow") : NULL, NULL
	};
	char *reports[] = {
		profil, format_text("report"), format_text("--format=pprof"), root_of(pid),
		directory, NULL
	};

	return run(options, profiles) || run(options, reports) || stopped ? EXIT_BROKEN : 0;
}

static int profile_in_private(const struct job_options *options, pid_t pid,
			      unsigned int seconds)
{
	const char *temporary = getenv("TMPDIR");
	char *directory = format_text("%s/profil-serve.XXXXXX",
				      temporary && *temporary ? temporary : "/tmp");
	int status;

	if (!mkdtemp(directory))
		die("cannot make a directory %s: %s", directory, strerror(errno));
	status = profile(options, directory, pid, seconds);
	remove_all(directory);
	return status;
}

static void __attribute__((noreturn)) work(const struct job *job,
					   const struct job_options *options, pid_t pid,
					   unsigned int seconds, pid_t server)
{
	sigset_t all;

	/* The terminal's signals are for the server, which then stops this. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != server)
		_exit(EXIT_BROKEN);
	dup2(job->output, STDOUT_FILENO);
	dup2(job->messages, STDERR_FILENO);
	/* The sockets: what they are connected to must see when the server closes them. */
	syscall(SYS_close_range, 3, ~0U, 0);
	dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
	unsetenv("DEBUGINFOD_URLS");
	_exit(profile_in_private(options, pid, seconds));
}

/* --- In the server -------------------------------------------------------------------- */

bool job_start(struct job *job, const struct job_options *options, pid_t pid,
	       unsigned int seconds)
{
	pid_t server = getpid();

	*job = (struct job){ .pidfd = -1 };
	job->output = memfd_create("profile", MFD_CLOEXEC);
	job->messages = memfd_create("messages", MFD_CLOEXEC);
	job->pid = job->output < 0 || job->messages < 0 ? -1 : fork();
	if (job->pid == 0)
		work(job, options, pid, seconds, server);
	if (job->pid > 0)
		job->pidfd = (int)syscall(SYS_pidfd_open, job->pid, 0);
	if (job->pidfd >= 0)
		return true;
	if (job->pid > 0) {
		job_stop(job);
		job_end(job);
	}
	close(job->output);
	close(job->messages);
	*job = (struct job){ .pidfd = -1, .output = -1, .messages = -1 };
	errno = EAGAIN;
	return false;
}

void job_stop(const struct job *job)
{
	kill(job->pid, SIGTERM);
}

bool job_end(struct job *job)
{
	int status = -1;

	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (job->pidfd >= 0)
		close(job->pidfd);
	job->pid = 0;
	return status == 0;
}

char *job_message(const struct job *job)
{
	char text[MESSAGE_MOST];
	ssize_t n = pread(job->messages, text, sizeof(text) - 1, 0);
	const char *line = text;

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!strncmp(line, "profil: ", 8))
		line += 8;
	return clean_text(*line ? line : "the profile could not be made");
}

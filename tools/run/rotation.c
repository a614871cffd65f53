// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A process of profil attaches for each directory. To begin the next
 * one, it is ended, and another attaches; only then the names are looked up, by a third.
 */
#include "run/rotation.h"
#include "common/clock.h"
#include "common/limits.h"
#include "common/end_signals.h"
#include "common/memory.h"
#include "common/message.h"
#include "run/follow.h"
#include "run/outcome.h"
#include "run/previous_profile.h"
#include "run/profile_directory.h"
#include "run/visit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS		1000
/* The time of its start, as in 20261125T235959Z. */
#define NAME_BYTES	17

enum reason { OLD_OR_LARGE, ENDED, OVER };

struct rotation {
	const struct options	*options;
	struct attachment	attachment;
	struct profile_directory directory;
	char			*path;		/* of it */
	int			all;		/* the directory of directories */
	int			pidfd;		/* of the process */
	sigset_t		ends;		/* signals */
	int64_t			begun, end;	/* in ms: this directory, everything */
	bool			told;		/* that there cannot be another one */
	char			(*made)[NAME_BYTES];	/* directories, the oldest first */
	size_t			nmade, room;
	bool			any;		/* it could be attached to */
};

/* --- Directories ---------------------------------------------------------------------- */

/*
 * No process finishes it now. With what others have put there, it stays. False: another
 * process had locked a file of it.
 */
static bool remove_directory(int all, const char *name)
{
	bool unlocked;
	int directory = openat(all, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (directory < 0)
		return true;
	unlocked = previous_profile_remove_all(directory);
	close(directory);
	if (unlocked && unlinkat(all, name, AT_REMOVEDIR) < 0)
		warn("cannot remove %s: %s", name, strerror(errno));
	return unlocked;
}

/*
 * The oldest ones, but for so many. What others have made stays, whatever its name. One
 * that is locked is tried again with the next one.
 */
static void remove_old(struct rotation *rotation)
{
	size_t keep = rotation->options->keep, n = rotation->nmade, left = 0, i;

	for (i = 0; keep && i < n; i++)
		if (i + keep >= n || !remove_directory(rotation->all, rotation->made[i]))
			memmove(rotation->made[left++], rotation->made[i],
				sizeof(rotation->made[i]));
	if (keep)
		rotation->nmade = left;
}

/* 0 or an errno. There may be one of this second, if the clock was set back. */
static int make_directory(struct rotation *rotation)
{
	const char *all = rotation->options->directory;
	const struct timespec moment = { .tv_nsec = 100000000 };
	char name[NAME_BYTES];
	time_t now;
	int error;

	do {
		now = time(NULL);
		strftime(name, sizeof(name), "%Y%m%dT%H%M%SZ", gmtime(&now));
		free(rotation->path);
		rotation->path = format_text("%s/%s", all, name);
	} while (faccessat(rotation->all, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
		 nanosleep(&moment, NULL) == 0);
	error = profile_directory_make(&rotation->directory, rotation->path);
	if (error)
		return error;
	ensure(rotation->made, rotation->nmade, rotation->room);
	memcpy(rotation->made[rotation->nmade++], name, sizeof(name));
	rotation->attachment.attach.directory = rotation->path;
	rotation->begun = clock_ms();
	return 0;
}

static void begin_directory(struct rotation *rotation)
{
	int error = make_directory(rotation);

	if (error)
		die("%s: %s", rotation->path, error == EREMOTE ?
		    "on a network or FUSE file system: use -o with a local directory" :
		    strerror(error));
}

/* False: the old one goes on, until there can be another. */
static bool next_directory(struct rotation *rotation)
{
	struct profile_directory old = rotation->directory;
	char *path = rotation->path;
	int error;

	rotation->path = NULL;
	error = make_directory(rotation);
	if (error) {
		if (!rotation->told)
			warn("cannot make %s: %s: going on in %s", rotation->path,
			     strerror(error), path);
		free(rotation->path);
		rotation->path = path;
		rotation->directory = old;
	}
	rotation->told = error;
	return !error;
}

static void add_size(int directory, const char *name, void *context)
{
	uint64_t *bytes = context;
	struct stat status;

	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		*bytes += (uint64_t)status.st_blocks * 512;
}

/* Others may remove or rename it. */
static bool is_gone(const struct rotation *rotation)
{
	return faccessat(AT_FDCWD, rotation->path, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

static bool is_due(const struct rotation *rotation)
{
	const struct options *options = rotation->options;
	uint64_t bytes = 0;

	if (options->rotate_seconds > 0 &&
	    (double)(clock_ms() - rotation->begun) >= options->rotate_seconds * 1000)
		return true;
	lseek(rotation->directory.fd, 0, SEEK_SET);
	visit_files(rotation->directory.fd, add_size, &bytes);
	return options->rotate_bytes && bytes >= options->rotate_bytes;
}

/* --- Profiles ------------------------------------------------------------------------- */

/* In another process: it takes longer than the next profile can wait for. */
static pid_t finish_directory(const struct rotation *rotation, const char *path, int fd,
			      const struct attached *attached)
{
	struct options options = *rotation->options;
	pid_t pid = fork();

	if (pid == 0) {
		/* A signal may end profil. This process goes on, with its report, but not the lock. */
		close(rotation->all);
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		/* The next directory waits for it. */
		limits_of_report();
		options.directory = path;
		options.quiet = true;
		outcome_print_attached(&options, attached);
		exit(0);
	}
	close(fd);
	return pid;
}

static void wait_for(pid_t pid)
{
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static bool has_ended(const struct rotation *rotation)
{
	struct pollfd end = { .fd = rotation->pidfd, .events = POLLIN };

	return poll(&end, 1, 0) != 0;
}

static pid_t start(const struct rotation *rotation)
{
	const struct attachment *attachment = &rotation->attachment;

	return rotation->options->follow ? follow_start(attachment, 0, false) :
					   attachment_start(attachment);
}

/* Until the profile has to end. False: it could not begin. */
static bool watch(struct rotation *rotation, pid_t *pid, enum reason *reason)
{
	struct timespec look = { .tv_sec = LOOK_MS / 1000 };
	int status, got;

	for (;;) {
		got = sigtimedwait(&rotation->ends, NULL, &look);
		*reason = has_ended(rotation) ? ENDED : OVER;
		if (*reason == ENDED || got > 0 || clock_ms() >= rotation->end)
			return true;
		*reason = OLD_OR_LARGE;
		if (*pid > 0 && waitpid(*pid, &status, WNOHANG) != *pid) {
			rotation->any = true;
			if (is_due(rotation))
				return true;
			continue;
		}
		/* It has executed another program, or cannot be attached to right now. */
		if (!rotation->any && (*pid < 0 || (status && WEXITSTATUS(status) != ATTACHMENT_REPLACED)))
			return false;
		*pid = -1;
		if (rotation->any && is_gone(rotation))
			return true;
		*pid = start(rotation);
	}
}

static void block_signals(sigset_t *ends)
{
	end_signals(ends);
	sigprocmask(SIG_BLOCK, ends, NULL);
}

static void open_all(struct rotation *rotation)
{
	const char *path = rotation->options->directory;

	rotation->all = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (rotation->all < 0)
		die("cannot open %s: %s", path, strerror(errno));
	if (flock(rotation->all, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		die("another profil --rotate uses %s, or another program has locked it: use -o with another directory",
		    path);
}

bool rotation_run(const struct options *options, const struct attachment *attachment)
{
	struct rotation rotation = {
		.options = options, .attachment = *attachment,
		.pidfd = (int)syscall(SYS_pidfd_open, attachment->attach.pid, 0),
		.end = options->seconds > 0 ? clock_ms() + (int64_t)(options->seconds * 1000) :
					      INT64_MAX,
	};
	enum reason reason = OLD_OR_LARGE;
	const struct attached attached = attach_leave();
	struct profile_directory old;
	bool good = true;
	char *path;
	pid_t pid, finisher = 0, earlier = 0;

	block_signals(&rotation.ends);
	open_all(&rotation);
	begin_directory(&rotation);
	pid = start(&rotation);
	while (good && reason == OLD_OR_LARGE) {
		good = watch(&rotation, &pid, &reason);
		path = rotation.path;
		old = rotation.directory;
		if (good && reason == OLD_OR_LARGE && !next_directory(&rotation))
			continue;
		attachment_end(pid);
		earlier = finisher;
		if (good && reason == OLD_OR_LARGE) {
			pid = start(&rotation);
			wait_for(earlier);
			remove_old(&rotation);
		}
		finisher = finish_directory(&rotation, path, old.fd, &attached);
		free(path);
	}
	/* Another signal now means: do not wait for the names. */
	sigprocmask(SIG_UNBLOCK, &rotation.ends, NULL);
	wait_for(earlier);
	wait_for(finisher);
	return good;
}

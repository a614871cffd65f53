// SPDX-License-Identifier: LGPL-2.1-or-later
#include "attach/candidates.h"
#include "common/memory.h"
#include "common/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>
#include <unistd.h>

#define LOOKS		400
#define PAUSE_NS	5000000
/* Of so many threads that can be stopped, the best is good enough if it is good. */
#define ENOUGH		64
/* A thread that runs is looked at some times. */
#define CALM		4
#define CALM_LOOKS	10000
#define CALM_NS		100000

struct candidate {
	pid_t			tid;
	enum interrupted_class	class;
	bool			filtered;	/* has a seccomp filter */
	bool			addressed;	/* signals of the process go to it first */
};

/* What the threads have that are no candidates. */
struct others {
	bool	strict;		/* seccomp's strict mode */
	bool	asleep;		/* a sleep in the kernel that nothing ends but its event */
	bool	unsafe;		/* in a call that could be cut short */
};

static char *task_file(const struct target *target, const char *tid, const char *name)
{
	char *path = format_text("task/%s/%s", tid, name);
	char *text = target_read(target, path, NULL);

	free(path);
	return text;
}

/* The state's letter comes after the name, which may have parentheses, too. */
static char state_of(const char *stat)
{
	const char *end = stat ? strrchr(stat, ')') : NULL;

	return end && end[1] ? end[2] : 'X';
}

/*
 * A signal that the program ignores is not ignored while the thread is traced that it is
 * sent to: the first one, or the parent of the child that has ended. It then interrupts
 * another thread, which may see EINTR.
 */
static bool is_addressed(const struct target *target, const char *tid)
{
	char *children = task_file(target, tid, "children");
	bool is = atoi(tid) == target->pid || (children && *children);

	free(children);
	return is;
}

static bool look_at(const struct target *target, const char *tid,
		    struct candidate *candidate, struct others *others)
{
	char *stat = task_file(target, tid, "stat"), *call = NULL, *status = NULL;
	const char *seccomp;
	char state = state_of(stat);
	bool good = false;

	if (state == 'D')
		others->asleep = true;
	if (state == 'D' || state == 'Z' || state == 'X' || target_is_kernels(stat))
		goto out;
	call = task_file(target, tid, "syscall");
	status = task_file(target, tid, "status");
	seccomp = status ? target_field(status, "Seccomp") : NULL;
	*candidate = (struct candidate){
		.tid = atoi(tid),
		.class = call ? interrupted_class_of(call) : INTERRUPTED_RUNNING,
		.filtered = seccomp && *seccomp == '2',
		.addressed = is_addressed(target, tid),
	};
	good = !seccomp || *seccomp != '1';
	others->strict |= !good;
	if (good && candidate->class == INTERRUPTED_NEVER) {
		others->unsafe = true;
		good = false;
	}
out:
	free(stat);
	free(call);
	free(status);
	return good;
}

static bool is_better(const struct candidate *one, const struct candidate *other)
{
	bool anew = one->class == INTERRUPTED_ANEW;

	if (one->filtered != other->filtered)
		return other->filtered;
	if (anew != (other->class == INTERRUPTED_ANEW))
		return !anew;
	if (one->addressed != other->addressed)
		return other->addressed;
	return one->class < other->class;
}

static bool is_good_enough(const struct candidate *best, unsigned int among)
{
	if (best->filtered || best->addressed)
		return false;
	return best->class == INTERRUPTED_SAFE ||
	       (among >= ENOUGH && best->class < INTERRUPTED_ANEW);
}

/* False: no thread will do now. */
static bool choose(const struct target *target, struct candidate *best,
		   struct others *others)
{
	int fd = openat(target->proc, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *tasks = fd < 0 ? NULL : fdopendir(fd);
	struct candidate candidate;
	const struct dirent *entry;
	unsigned int found = 0;

	*others = (struct others){ .strict = false };
	while (tasks && (entry = readdir(tasks))) {
		if (entry->d_name[0] == '.' ||
		    !look_at(target, entry->d_name, &candidate, others))
			continue;
		if (!found || is_better(&candidate, best))
			*best = candidate;
		if (is_good_enough(best, ++found))
			break;
	}
	if (tasks)
		closedir(tasks);
	return found;
}

static void explain_filter(const struct target *target)
{
	warn("process %d has a seccomp filter, which may kill it for our system calls: run profil as root, with no filter of its own",
	     target->pid);
}

static void explain_unsafe(const struct target *target)
{
	warn("process %d is in a system call that must not be interrupted, for example a write to a slow reader: try again later",
	     target->pid);
}

static void explain_none(const struct target *target, const struct others *others)
{
	if (!target_lives(target))
		warn("process %d has ended", target->pid);
	else if (others->strict)
		warn("process %d is in seccomp's strict mode: a system call of ours would kill it",
		     target->pid);
	else if (others->unsafe)
		explain_unsafe(target);
	else
		warn("process %d waits in the kernel and cannot be stopped: try again later",
		     target->pid);
}

/* In which call the thread is: @fd is its file "syscall" in /proc. */
static enum interrupted_class class_now(int fd)
{
	char line[256];
	ssize_t size = pread(fd, line, sizeof(line) - 1, 0);

	if (size <= 0)
		return INTERRUPTED_NEVER;
	line[size] = '\0';
	return interrupted_class_of(line);
}

/*
 * Waits until the thread can be stopped. Where it is must be known just before: a thread
 * that runs may be about to wait in a call that must not be interrupted.
 */
static int wait_until_calm(int fd, struct thread *thread)
{
	const struct timespec pause = { .tv_nsec = CALM_NS };
	int i, calm = 0;

	for (i = 0; i < CALM_LOOKS; i++) {
		if (!thread_attend(thread))
			return ESRCH;
		switch (class_now(fd)) {
		case INTERRUPTED_NEVER:
			calm = 0;
			break;
		case INTERRUPTED_RUNNING:
			calm++;
			break;
		default:
			calm = CALM;
		}
		if (calm >= CALM)
			return thread_hold(thread);
		nanosleep(&pause, NULL);
	}
	return EAGAIN;
}

static int hold_thread(const struct target *target, struct thread *thread,
		       const struct candidate *candidate)
{
	char *path = format_text("task/%d/syscall", (int)candidate->tid);
	int error, fd = openat(target->proc, path, O_RDONLY | O_CLOEXEC);

	thread_go_first(true);
	error = fd < 0 ? errno :
		thread_seize(thread, candidate->tid,
			     candidate->filtered ? PTRACE_O_SUSPEND_SECCOMP : 0);

	/* The number may be another process's thread by now. From here on it stays. */
	if (!error && faccessat(target->proc, path, F_OK, 0) < 0) {
		thread_release(thread);
		error = ESRCH;
	}
	if (!error)
		error = wait_until_calm(fd, thread);
	if (fd >= 0)
		close(fd);
	free(path);
	/* There is no such file: its thread has ended. */
	return error == ENOENT ? ESRCH : error;
}

static bool hold(const struct target *target, struct thread *thread,
		 const struct candidate *candidate, bool *gone)
{
	int error = hold_thread(target, thread, candidate);

	*gone = error == ESRCH && target_lives(target);
	if (!error || *gone)
		return !error;
	if (candidate->filtered && (error == EPERM || error == EINVAL))
		explain_filter(target);
	else if (error == EAGAIN)
		explain_unsafe(target);
	else if (error == EBUSY)
		warn("process %d waits in the kernel and cannot be stopped: try again later",
		     target->pid);
	else if (error == ENOTSUP)
		warn("process %d runs 32-bit code: profil attaches to 64-bit programs only",
		     target->pid);
	else
		target_explain(target, error);
	return false;
}

bool candidates_is_alone(const struct target *target, pid_t ours)
{
	char *status = target_read(target, "status", NULL);
	const char *threads = status ? target_field(status, "Threads") : NULL;
	bool alone = !threads || atoi(threads) <= (ours ? 2 : 1);

	free(status);
	return alone;
}

bool candidates_hold(const struct target *target, struct thread *thread)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct candidate best = { .tid = 0 };
	struct others others;
	bool gone;
	int i;

	for (i = 0; i < LOOKS; i++) {
		if (!choose(target, &best, &others)) {
			if (!others.unsafe && !others.asleep)
				break;
			nanosleep(&pause, NULL);
			continue;
		}
		if (hold(target, thread, &best, &gone))
			return true;
		if (!gone)
			return false;
		/* The next search stops nobody. */
		thread_go_first(false);
	}
	explain_none(target, &others);
	return false;
}

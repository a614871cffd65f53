// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Looks for children in /proc: a tracer that is told of each fork would have to stop all
 * threads each time. Each process is attached to by a process of its own. What lives for
 * less than two looks is missed; most such processes execute another program soon.
 */
#include "run/follow.h"
#include "common/clock.h"
#include "common/end_signals.h"
#include "common/memory.h"
#include "common/message.h"
#include "run/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS		50
#define TRIES		5
#define ATTACHED_MOST	256
#define PIECE		16384

struct followed {
	pid_t		pid, parent;
	pid_t		attachment;	/* the process that attaches to it; 0: none */
	uint64_t	program;	/* tells the program of the last look from others */
	bool		settled;	/* nothing to do until it executes another one */
	unsigned int	tries;
};

static struct followed *followed;
static size_t nfollowed, room, nattached;

/* What cannot be looked at is not followed. */
static void tell_no_files(void)
{
	static bool told;

	if (told || (errno != EMFILE && errno != ENFILE))
		return;
	told = true;
	warn("cannot read /proc: %s: some processes are not profiled", strerror(errno));
}

/* The file /proc/@pid/@name with a zero behind it, or NULL. */
static char *read_proc(pid_t pid, const char *name, size_t *size)
{
	char *path = format_text("/proc/%d/%s", pid, name), *text = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 1;

	free(path);
	*size = 0;
	if (fd < 0) {
		tell_no_files();
		return NULL;
	}
	while (got > 0) {
		text = resize(text, *size + PIECE + 1);
		got = read(fd, text + *size, PIECE);
		*size += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	text[*size] = '\0';
	return text;
}

/* --- Which processes ----------------------------------------------------------------- */

static void add(pid_t pid, pid_t parent)
{
	size_t i;

	/* The process may be the shell that has started profil. */
	if (pid == getpid())
		return;
	for (i = 0; i < nfollowed; i++)
		if (followed[i].pid == pid)
			return;
	ensure(followed, nfollowed, room);
	followed[nfollowed++] = (struct followed){ .pid = pid, .parent = parent };
}

static void add_children(pid_t pid)
{
	char *path = format_text("/proc/%d/task", pid), *children, *at, *end;
	DIR *tasks = opendir(path);
	const struct dirent *task;
	size_t size;
	long child;

	free(path);
	if (!tasks)
		tell_no_files();
	while (tasks && (task = readdir(tasks))) {
		if (task->d_name[0] == '.')
			continue;
		path = format_text("task/%s/children", task->d_name);
		children = read_proc(pid, path, &size);
		for (at = children; at && (child = strtol(at, &end, 10)) > 0; at = end)
			add((pid_t)child, pid);
		free(children);
		free(path);
	}
	if (tasks)
		closedir(tasks);
}

/*
 * The kernel gives each program other addresses: of its stack, and of the vdso. 0: it has
 * ended, or its memory is not ours to see.
 */
static uint64_t program_of(pid_t pid)
{
	uint64_t sum = 0;
	size_t size, i;
	char *auxiliary = read_proc(pid, "auxv", &size);

	for (i = 0; i < size; i++)
		sum = (sum ^ (unsigned char)auxiliary[i]) * 0x100000001b3;
	free(auxiliary);
	return sum;
}

/* Whether the dynamic linker has our library to preload, or had. */
static bool has_library(pid_t pid)
{
	size_t size, length;
	char *environment = read_proc(pid, "environ", &size), *at = environment;
	bool has = false;

	for (; at && at < environment + size && !has; at += length + 1) {
		length = strlen(at);
		has = !strncmp(at, "LD_PRELOAD=", 11) && strstr(at, "/libprofil-preload.so");
	}
	free(environment);
	return has;
}

/* It has a profile, also of its own; or, after vfork(2), the memory of one that has. */
static bool is_profiled(pid_t pid)
{
	size_t size;
	char *maps = read_proc(pid, "maps", &size);
	bool is = !maps || strstr(maps, "/dev/profil") ||
		  strstr(maps, "/libprofil-preload.so");

	free(maps);
	return is;
}

static bool is_wanted(const struct followed *one)
{
	char *program = format_text("/proc/%d/exe", one->pid);
	enum program_kind kind = program_kind(program, false);

	free(program);
	if (kind == PROGRAM_NONE || kind == PROGRAM_WIDTH ||
	    (kind == PROGRAM_PRELOADED && has_library(one->pid)))
		return false;
	return !is_profiled(one->pid) &&
	       syscall(SYS_kcmp, one->pid, one->parent, KCMP_VM, 0, 0) != 0;
}

/* --- What is done with them ---------------------------------------------------------- */

/* The last try says why it fails. */
static void attach_to(struct followed *one, const struct attachment *root)
{
	struct attachment attachment = *root;

	one->tries++;
	attachment.attach.pid = one->pid;
	attachment.attach.quiet = true;
	attachment.muted = one->tries < TRIES;
	attachment.delay = 0;
	attachment.gate = -1;
	one->attachment = attachment_start(&attachment);
	if (one->attachment > 0)
		nattached++;
	else
		one->attachment = 0;	/* waitpid(2) would take -1 for any child */
}

/* A program that was there at the last look, too, has not only come to execute another. */
static void look_at(struct followed *one, const struct attachment *root)
{
	static bool told;
	uint64_t program = program_of(one->pid);

	if (program != one->program) {
		one->program = program;
		one->settled = false;
		one->tries = 0;
		return;
	}
	if (one->settled)
		return;
	one->settled = true;
	if (!program || !is_wanted(one))
		return;
	if (nattached < ATTACHED_MOST) {
		attach_to(one, root);
	} else if (!told) {
		told = true;
		warn("more than %d processes: the others have no profile", ATTACHED_MOST);
	}
}

/* False: it could not be attached to, and it was to be from the start. */
static bool take_end(struct followed *one)
{
	int status;

	if (waitpid(one->attachment, &status, WNOHANG) != one->attachment)
		return true;
	one->attachment = 0;
	nattached--;
	if (!WIFEXITED(status) || !WEXITSTATUS(status))
		return true;
	/* It may have been about to execute another program, or have done so. */
	one->settled = one->tries >= TRIES;
	return WEXITSTATUS(status) == ATTACHMENT_REPLACED || one->tries;
}

static bool has_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

static void forget(size_t i)
{
	followed[i] = followed[--nfollowed];
}

/* One look. False: the first process could not be attached to. */
static bool look(const struct attachment *root)
{
	bool first = true;
	size_t i;

	for (i = 0; i < nfollowed; i++) {
		struct followed *one = &followed[i];

		if (one->attachment)
			first &= take_end(one);
		if (!one->attachment)
			look_at(one, root);
		add_children(followed[i].pid);
	}
	for (i = nfollowed; i-- > 1;)
		if (!followed[i].attachment && has_gone(followed[i].pid))
			forget(i);
	return first;
}

/* False: a signal ends this. */
static bool pause_between(const sigset_t *ends)
{
	const struct timespec moment = { .tv_nsec = LOOK_MS * 1000000L };

	return sigtimedwait(ends, NULL, &moment) < 0;
}

static bool has_ended(int pidfd)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };

	return poll(&end, 1, 0) != 0;
}

bool follow_run(const struct attachment *root, double seconds, bool preloaded)
{
	int pidfd = (int)syscall(SYS_pidfd_open, root->attach.pid, 0);
	int64_t end = seconds > 0 ? clock_ms() + (int64_t)(seconds * 1000) : INT64_MAX;
	bool good = true;
	sigset_t ends;
	size_t i;

	end_signals(&ends);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	add(root->attach.pid, 0);
	followed[0].program = program_of(root->attach.pid);
	if (!preloaded) {
		followed[0].attachment = attachment_start(root);
		if (root->gate >= 0)
			close(root->gate);
		if (followed[0].attachment < 0)
			return false;
		followed[0].settled = true;
		nattached++;
	}
	do
		good = look(root) || preloaded;
	while (good && clock_ms() < end && !has_ended(pidfd) && pause_between(&ends));
	for (i = 0; i < nfollowed; i++)
		if (followed[i].attachment > 0)
			kill(followed[i].attachment, SIGTERM);
	for (i = 0; i < nfollowed; i++)
		attachment_end(followed[i].attachment);
	return good;
}

pid_t follow_start(const struct attachment *root, double seconds, bool preloaded)
{
	pid_t parent = getpid(), pid = fork();
	struct attachment first = *root;

	if (pid < 0)
		warn("cannot start a process: %s", strerror(errno));
	if (pid)
		return pid;
	attachment_begin(parent);
	attachment_delay(root->delay);
	first.delay = 0;
	exit(follow_run(&first, seconds, preloaded) ? 0 : EXIT_BROKEN);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "attach/target.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/path.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define PIECE	16384
#define MQUEUE_MAGIC	0x19800202	/* of statfs(2) */

char *target_read(const struct target *target, const char *name, size_t *size)
{
	int fd = openat(target->proc, name, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return NULL;
	do {
		text = resize(text, n + PIECE + 1);
		got = read(fd, text + n, PIECE);
		if (got > 0)
			n += (size_t)got;
	} while (got > 0);
	close(fd);
	text[n] = '\0';
	if (size)
		*size = n;
	return text;
}

/* Of a file timens_offsets: time_namespaces(7). */
static uint64_t offset_ns(const struct target *target, const char *path)
{
	char *text = target_read(target, path, NULL);
	long long seconds = 0, ns = 0;

	if (text)
		sscanf(text, "monotonic %lld %lld", &seconds, &ns);
	free(text);
	return (uint64_t)seconds * 1000000000 + (uint64_t)ns;
}

uint64_t target_ahead_ns(const struct target *target)
{
	return offset_ns(target, "timens_offsets") -
	       offset_ns(target, "/proc/self/timens_offsets");
}

const char *target_field(const char *status, const char *field)
{
	size_t length = strlen(field);
	const char *line = status;

	while (line && *line) {
		if (!strncmp(line, field, length) && line[length] == ':')
			return line + length + 1 + strspn(line + length + 1, "\t ");
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}

static long number(const char *status, const char *field)
{
	const char *value = target_field(status, field);

	return value ? strtol(value, NULL, 10) : 0;
}

static char *read_link(const struct target *target, const char *name)
{
	char path[4096];
	ssize_t length = readlinkat(target->proc, name, path, sizeof(path) - 1);

	if (length < 0)
		return NULL;
	path[length] = '\0';
	return copy_text(path);
}

/* In parentheses, or nothing. */
static char *name_of(long pid)
{
	char *path = format_text("/proc/%ld/comm", pid), *name = NULL;
	char text[64] = "", *at;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	free(path);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0) {
		text[strcspn(text, "\n")] = '\0';
		for (at = text; *at; at++)
			if (iscntrl((unsigned char)*at))
				*at = '?';
		name = format_text(" (%s)", text);
	}
	if (fd >= 0)
		close(fd);
	return name ? name : copy_text("");
}

static void refuse_tracer(const struct target *target, const char *status)
{
	long tracer = number(status, "TracerPid");

	/* It is stopped at its exec. */
	if (tracer && tracer != getpid())
		die("process %d is traced by process %ld%s: end that first",
		    target->pid, tracer, name_of(tracer));
}

static int yama(void)
{
	char text[4] = "0";
	int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, text, sizeof(text) - 1) <= 0)
			text[0] = '0';
		close(fd);
	}
	return text[0] - '0';
}

void target_explain(const struct target *target, int error)
{
	char *status = target_read(target, "status", NULL);

	if (error == ESRCH || !status || !target_lives(target)) {
		warn("process %d has ended", target->pid);
		return;
	}
	refuse_tracer(target, status);
	if (error == EPERM && yama() == 1 && geteuid())
		warn("not permitted to attach to process %d: the setting kernel.yama.ptrace_scope is 1: run profil as root",
		     target->pid);
	else if (error == EPERM && yama() > 1)
		warn("not permitted to attach to process %d: the setting kernel.yama.ptrace_scope is %d%s",
		     target->pid, yama(), yama() == 2 ? ": run profil as root" : "");
	else if (error == EPERM)
		warn("not permitted to attach to process %d: %s", target->pid,
		     geteuid() ? "run profil as root, or with the capability CAP_SYS_PTRACE" :
				 "profil needs the capability CAP_SYS_PTRACE, and no other process may trace it");
	else
		warn("cannot attach to process %d: %s", target->pid, strerror(error));
}

/* The file is not opened to know its kind: that may have effects. */
static bool is_queue(int directory, const char *name)
{
	int fd = openat(directory, name, O_PATH | O_CLOEXEC);
	struct statfs system;
	bool is = fd >= 0 && fstatfs(fd, &system) == 0 && system.f_type == MQUEUE_MAGIC;

	if (fd >= 0)
		close(fd);
	return is;
}

static bool has_notice(const struct target *target, int directory, const char *name)
{
	char text[256] = "", *owner;
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	/* Then it cannot be known. */
	if (fd < 0)
		return true;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	owner = strstr(text, "NOTIFY_PID:");
	return owner && atoi(strchr(owner, ':') + 1) == target->pid;
}

bool target_awaits_message(const struct target *target)
{
	int fd = openat(target->proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *files = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool awaits = false;
	char first;

	while (files && !awaits && (entry = readdir(files)))
		awaits = entry->d_name[0] != '.' &&
			 readlinkat(fd, entry->d_name, &first, 1) == 1 && first == '/' &&
			 is_queue(fd, entry->d_name) &&
			 has_notice(target, fd, entry->d_name);
	if (files)
		closedir(files);
	return awaits;
}

bool target_lives(const struct target *target)
{
	struct pollfd end = { .fd = target->pidfd, .events = POLLIN };

	return poll(&end, 1, 0) == 0;
}

static void open_process(struct target *target)
{
	char *path = format_text("/proc/%d", target->pid);

	target->proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (target->proc < 0)
		die("there is no process %d", target->pid);
	target->pidfd = (int)syscall(SYS_pidfd_open, target->pid, 0);
	free(path);
}

/*
 * The lock ends with this process, however that ends. If that is killed while another
 * process of it traces, the other one finishes that first.
 */
static void lock(const struct target *target)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	int i;

	for (i = 0; i < 200; i++) {
		if (flock(target->proc, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			return;
		nanosleep(&moment, NULL);
	}
	die("process %d is already profiled by another profil -p: end that first",
	    target->pid);
}

bool target_is_headless(const struct target *target)
{
	char *status = target_read(target, "status", NULL);
	const char *state = status ? target_field(status, "State") : NULL;
	bool is = state && *state == 'Z' && number(status, "Threads") > 1;

	free(status);
	return is;
}

bool target_is_hidden(const struct target *target)
{
	int fd = openat(target->proc, "maps", O_RDONLY | O_CLOEXEC), error = errno;

	if (fd >= 0)
		close(fd);
	return fd < 0 && error == EACCES;
}

bool target_has_memory(const struct target *target)
{
	char *status = target_read(target, "status", NULL);
	bool has = status && target_field(status, "VmSize");

	free(status);
	return has;
}

/* The kernel's PF_IO_WORKER, PF_USER_WORKER and PF_KTHREAD. */
#define KERNELS		0x204010U

bool target_is_kernels(const char *stat)
{
	/* Behind the name, which may have parentheses, too. */
	const char *end = stat ? strrchr(stat, ')') : NULL;
	unsigned int flags;

	return end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & KERNELS;
}

static void refuse_no_memory(const struct target *target)
{
	char *stat = target_read(target, "stat", NULL);

	if (target_is_kernels(stat))
		die("process %d is a thread of the kernel: profil shows programs only",
		    target->pid);
	die("process %d has ended", target->pid);
}

static void refuse_kind(const struct target *target, const char *status)
{
	const char *state = target_field(status, "State");
	long group = number(status, "Tgid");

	if (group != target->pid)
		die("%d is a thread of process %ld: use -p %ld", target->pid, group,
		    group);
	if (target->pid == getpid())
		die("process %d is this profil: give the number of another process",
		    target->pid);
	if (state && (*state == 'Z' || *state == 'X'))
		die(number(status, "Threads") > 1 ?
		    "the main thread of process %d has ended: profil cannot attach to the others" :
		    "process %d has ended: its parent has not waited for it yet",
		    target->pid);
	if (!target_field(status, "VmSize"))
		refuse_no_memory(target);
	if (target->pidfd < 0)
		die("cannot attach to process %d: pidfd_open: %s", target->pid,
		    strerror(errno));
}

/* Root may attach to all of these. */
static void refuse_user(const struct target *target, const char *status)
{
	struct stat process;

	if (geteuid() == 0)
		return;
	if (target->owner != geteuid() || number(status, "Uid") != (long)getuid())
		die("process %d belongs to another user or changes its user: run profil as root",
		    target->pid);
	/* Then its files in /proc are root's. */
	if (fstatat(target->proc, "status", &process, 0) == 0 &&
	    process.st_uid != geteuid())
		die("process %d has more rights than you, or protects its memory (set-user-ID, file capabilities, or prctl): run profil as root",
		    target->pid);
}

/* Whether it maps profil's own preload library. */
static bool is_preloaded(const struct target *target)
{
	char *maps = target_read(target, "maps", NULL);
	bool is = maps && strstr(maps, "/libprofil-preload.so");

	free(maps);
	return is;
}

static void refuse_program(const struct target *target)
{
	unsigned char header[EI_NIDENT] = "";
	int fd = openat(target->proc, "exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		target_explain(target, EPERM);
		exit(EXIT_BROKEN);
	}
	if (fd < 0 || read(fd, header, sizeof(header)) != sizeof(header))
		die("cannot read the program of process %d", target->pid);
	close(fd);
	if (header[EI_CLASS] != ELFCLASS64)
		die("process %d is a 32-bit program: profil attaches to 64-bit programs only",
		    target->pid);
	if (is_preloaded(target))
		die("process %d is already profiled: it was started by profil COMMAND, or with libprofil-preload.so",
		    target->pid);
}

/* As the preload library makes it: no slash, blank or control character, no dot first. */
static void set_name(struct target *target)
{
	char *path = read_link(target, "exe");
	const char *name = path ? path_name(path) : "program";
	size_t i, length = strlen(name);
	static const char deleted[] = " (deleted)";

	if (length > strlen(deleted) &&
	    !strcmp(name + length - strlen(deleted), deleted))
		length -= strlen(deleted);
	for (i = 0; i < length && i < sizeof(target->name) - 1; i++) {
		unsigned char c = (unsigned char)name[i];
		bool safe = c > ' ' && c != 0x7f && c != '/' &&
			    (i || (c != '.' && c != '-'));

		target->name[i] = safe ? (char)c : '_';
	}
	target->name[i] = '\0';
	free(path);
}

/* It stays open for profil-report, also when the process has ended. */
static void set_root(struct target *target)
{
	int root = openat(target->proc, "root", O_PATH | O_DIRECTORY);
	char *mounts = read_link(target, "ns/mnt"), own[64] = "";
	struct stat theirs, ours;

	target->mounts = readlink("/proc/self/ns/mnt", own, sizeof(own) - 1) > 0 &&
			 mounts && strcmp(mounts, own);
	free(mounts);
	target->prefix = target->mounts ? read_link(target, "root") : NULL;
	if (root < 0 || fstat(root, &theirs) < 0 || stat("/", &ours) < 0)
		return;
	if (target->mounts || theirs.st_dev != ours.st_dev ||
	    theirs.st_ino != ours.st_ino)
		target->root = format_text("/proc/self/fd/%d", root);
	else
		close(root);
}

static void set_owner(struct target *target, const char *status)
{
	const char *ids = target_field(status, "Uid");
	unsigned int effective = 0;

	if (ids)
		sscanf(ids, "%*u %u", &effective);
	target->owner = effective;
}

void target_open(struct target *target, pid_t pid)
{
	char *status;

	*target = (struct target){ .pid = pid };
	open_process(target);
	status = target_read(target, "status", NULL);
	if (!status)
		die("there is no process %d", pid);
	set_owner(target, status);
	refuse_kind(target, status);
	refuse_user(target, status);
	free(status);
	lock(target);
	status = target_read(target, "status", NULL);
	if (status)
		refuse_tracer(target, status);
	free(status);
	refuse_program(target);
	set_name(target);
	set_root(target);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/command.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/path.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- can it be profiled? ------------------------------------------------------ */

/* The file that execvp(3) would run; NULL: none. To be freed. */
static char *find_program(const char *name)
{
	const char *at = getenv("PATH");

	if (strchr(name, '/'))
		return format_text("%s", name);
	while (at && *at) {
		size_t length = strcspn(at, ":");
		char *path = format_text("%.*s%s%s", (int)length, at,
					 length ? "/" : "", name);

		if (access(path, X_OK) == 0)
			return path;
		free(path);
		at += length + (at[length] == ':');
	}
	return NULL;
}

/*
 * The dynamic linker that a program asks for; "": none. Static-pie programs
 * have a dynamic section too, but nobody to read it. NULL: cannot tell.
 */
static const char *interpreter(const unsigned char *file, size_t size)
{
	const Elf64_Ehdr *header = (const void *)file;
	size_t i;

	for (i = 0; i < header->e_phnum; i++) {
		size_t at = header->e_phoff + i * header->e_phentsize;
		Elf64_Phdr segment;

		if (at > size - sizeof(segment))
			return NULL;
		memcpy(&segment, file + at, sizeof(segment));
		if (segment.p_type != PT_INTERP)
			continue;
		if (segment.p_offset >= size ||
		    !memchr(file + segment.p_offset, 0, size - segment.p_offset))
			return NULL;
		return (const char *)file + segment.p_offset;
	}
	return "";
}

/* glibc's dynamic linker, which runs the program that follows: ld.so PROGRAM. */
static bool is_linker(const char *name)
{
	char path[4096];
	const char *base;

	if (!realpath(name, path))
		return false;
	base = path_name(path);
	return !strncmp(base, "ld-linux", 8) || !strncmp(base, "ld-2.", 5) ||
	       !strcmp(base, "ld64.so.1") || !strcmp(base, "ld64.so.2");
}

/* False: with our library, which is glibc's, the program would not start. */
static bool check_elf(const char *name, const unsigned char *file, size_t size)
{
	const Elf64_Ehdr *header = (const void *)file;
	const char *linker;

	if (size < sizeof(*header) || memcmp(file, ELFMAG, SELFMAG))
		return true;
	if (header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 :
								ELFCLASS32)) {
		warn("%s is a program of another word size: it runs without a profile",
		     name);
		return true;
	}
	if (sizeof(void *) != 8 || header->e_type == ET_REL)
		return true;
	linker = interpreter(file, size);
	if (linker && !*linker && !is_linker(name))
		warn("%s is statically linked: it runs without a profile", name);
	if (!linker || !strstr(linker, "/ld-musl-"))
		return true;
	warn("%s is a program of another C library, musl: it runs without a profile",
	     name);
	return false;
}

static bool check_file(const char *path, bool script);

/* A script is as good as its interpreter. */
static bool check_interpreter(char *line, size_t size)
{
	char *path;

	line[size - 1] = '\0';
	line[strcspn(line, "\n")] = '\0';
	path = line + 2 + strspn(line + 2, " \t");
	path[strcspn(path, " \t")] = '\0';
	return !*path || check_file(path, true);
}

/* The descriptor closes itself when the command is executed, or we exit. */
static bool check_file(const char *path, bool script)
{
	union {
		unsigned char	bytes[4096];
		Elf64_Ehdr	header;
	} file;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t size;

	if (fd < 0)
		return true;
	size = read(fd, file.bytes, sizeof(file.bytes));
	if (size > 2 && !memcmp(file.bytes, "#!", 2) && !script)
		return check_interpreter((char *)file.bytes, (size_t)size);
	return size <= 0 || check_elf(path, file.bytes, (size_t)size);
}

bool command_check(const char *name)
{
	char *path = find_program(name);
	bool starts = !path || check_file(path, false);

	free(path);
	return starts;
}

bool command_changes_user(const char *name)
{
	char *path = find_program(name);
	struct stat status;
	bool changes;

	changes = path && stat(path, &status) == 0 &&
		  (((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
		   ((status.st_mode & S_ISGID) && status.st_gid != getegid()));
	free(path);
	return changes;
}

/* --- running it ------------------------------------------------------------- */

/*
 * Whoever signals us means the command: what a process has sent goes on to it.
 * What the kernel sends reaches it anyway, from the terminal for example, but for
 * the timers that a process keeps when it executes another program.
 *
 * We must live to print the profile: all signals are blocked that are not about
 * ourselves, and taken one by one.
 */
static const int ours[] = {
	SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP,
	/* Of these we stop and go on, each as it was sent. */
	SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU,
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
		    wait4(child, &end->status, WNOHANG, &usage) == child)
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

/* By that signal and no other one that waits. */
static void unblock(int signal)
{
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, signal);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
}

void command_exit(int status)
{
	struct rlimit none = { 0, 0 };

	if (WIFSIGNALED(status)) {
		/* The core is the command's, not ours. */
		setrlimit(RLIMIT_CORE, &none);
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
		unblock(WTERMSIG(status));
		exit(128 + WTERMSIG(status));
	}
	exit(WEXITSTATUS(status));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofil-preload.so: profiles the program that it is preloaded into, from
 * before main() to its end, whatever the end is.
 *
 * The environment says how; profil(1) sets it, and describes it:
 *
 *	PROFIL_DIRECTORY	where the files go; default: profil.out
 *	PROFIL_RATE		fast (default), tick or clock
 *	PROFIL_SAMPLES		most samples in a file
 *	PROFIL_STACKS		0: no stacks
 *	PROFIL_CHILDREN		only the process with this number
 *	PROFIL_QUIET		no messages about profiles that are not made
 *	PROFIL_PROCESS		number of profil, which cuts the files if it lives
 *				longer than what it has started
 *
 * A process has one file for each program that it runs; a fork child has its
 * own. Nothing is kept open, no signal is used, and no system call is made
 * between start and end but at dlopen, dlclose, fork, and where the program
 * profiles, locks or limits itself.
 *
 * Nothing of this may be seen by the program: errno is what it was.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device.h"
#include "file_create.h"
#include "file_log.h"
#include "file_room.h"
#include "gmon_counters.h"
#include "preload.h"
#include "message.h"
#include "objects.h"
#include "state.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DIRECTORY	"profil.out"
#define ARGUMENTS_MOST	4096

static char directory[3072];
static uint64_t capacity;
static bool stacks;

/* As profil(1) does it: the best there is. */
static uint32_t wanted_rate(void)
{
	const char *rate = getenv("PROFIL_RATE");

	if (rate && !strcmp(rate, "clock"))
		return PROFIL_RATE_CLOCK;
	if (rate && !strcmp(rate, "tick"))
		return PROFIL_RATE_TICK;
	return PROFIL_RATE_FAST;
}

/* Absolute: the program may change its directory before it forks. */
static int set_directory(void)
{
	const char *wanted = getenv("PROFIL_DIRECTORY");
	size_t length = 0;

	if (!wanted || !wanted[0])
		wanted = DIRECTORY;
	if (wanted[0] != '/') {
		if (!getcwd(directory, sizeof(directory)))
			return errno;
		length = strlen(directory);
		directory[length++] = '/';
	}
	if (length + strlen(wanted) >= sizeof(directory))
		return ENAMETOOLONG;
	strcpy(directory + length, wanted);
	return 0;
}

/*
 * The name is in the memory of argv[0], where a program that sets its title
 * writes whatever it likes; and argv[0] may be anything to begin with. What
 * makes it the name of a file: no slash, nothing that a terminal or a shell
 * takes for something else at its beginning.
 */
static void set_name(void)
{
	const char *name = program_invocation_short_name;
	size_t i;

	for (i = 0; i < sizeof(preload.name) - 1 && name && name[i]; i++) {
		unsigned char c = (unsigned char)name[i];
		bool safe = c > ' ' && c != 0x7f && c != '/' &&
			    (i || (c != '.' && c != '-'));

		preload.name[i] = safe ? (char)c : '_';
	}
	if (!i)
		strcpy(preload.name, "program");
}

static void log_text(uint32_t type, const char *text)
{
	file_log(&preload.file, type, 0, text, strlen(text) + 1, NULL, 0);
}

static void log_origin(int fd)
{
	struct utsname system;

	log_text(PROFILE_NAME, preload.name);
	if (uname(&system) == 0)
		log_text(PROFILE_HOST, system.nodename);
	objects_log_changes(&preload.file, 0, fd);
}

/* The beginning of a command line that is too long. */
static void log_arguments(int argc, char **argv)
{
	size_t size = 0;
	int i;

	/* The kernel puts them next to each other. */
	for (i = 0; i < argc && size < ARGUMENTS_MOST &&
	     argv[i] == argv[0] + size; i++)
		size += strlen(argv[i]) + 1;
	if (!size)
		return;
	if (size > ARGUMENTS_MOST)
		size = ARGUMENTS_MOST;
	file_log(&preload.file, PROFILE_ARGUMENTS, 0, argv[0], size - 1, "", 1);
}

static int create_file(void)
{
	return file_create(&preload.file, directory, preload.name, capacity,
			   stacks);
}

/* Whether profil has ended before this program has begun. */
static bool is_unattended(void)
{
	const char *process = getenv("PROFIL_PROCESS");
	pid_t pid = process ? (pid_t)strtol(process, NULL, 10) : 0;

	return pid > 0 && kill(pid, 0) < 0 && errno == ESRCH;
}

/* Once: the programs that this one runs need not repeat it. */
static void complain(const char *what, const char *why, const char *without)
{
	if (getenv("PROFIL_QUIET"))
		return;
	message("%s: %s: %s runs without %s", what, why, preload.name, without);
	setenv("PROFIL_QUIET", "1", 1);
}

static void refuse(int error, const char *why)
{
	preload.error = error;
	preload.why = why;
	complain("/dev/profil", why, "a profile");
}

static int make_file(void)
{
	int error = set_directory();

	if (error)
		return error;
	error = create_file();
	if (error == ENOENT && mkdir(directory, 0777) == 0)
		error = create_file();
	return error;
}

static void begin(int fd)
{
	int error = make_file();

	if (error) {
		complain(directory, strerror(error), "a profile");
		return;
	}
	if (stacks && !preload.file.stacks_room && sizeof(void *) == 8)
		complain(directory, "no room for call stacks within its limits", "them");
	preload.file.header->unattended = is_unattended();
	log_origin(fd);
	error = sampler_start(&preload.sampler, &preload.file, 0, fd);
	if (!error)
		return;
	refuse(error, message_start_error(error));
	unlink(preload.file.path);
	file_forget(&preload.file);
}

static bool is_wanted(void)
{
	const char *only = getenv("PROFIL_CHILDREN");

	return !only || strtol(only, NULL, 10) == getpid();
}

/* In the child of a fork: a file of its own. */
static void begin_child(struct file *parent)
{
	if (create_file()) {
		__atomic_add_fetch(&parent->header->unprofiled, 1,
				   __ATOMIC_RELAXED);
		return;
	}
	preload.file.header->parent = parent->header->pid;
	preload.file.header->unattended = parent->header->unattended;
	file_log_copy(&preload.file, parent);
	if (preload.taken)
		file_log(&preload.file, PROFILE_TAKEN, 0, NULL, 0, NULL, 0);
	else
		sampler_start(&preload.sampler, &preload.file, 0, -1);
}

/*
 * The profile that the child has inherited is over an array that it has not:
 * it is replaced or stopped. If it is the program's own, it goes on.
 */
static void inherit(void)
{
	/* There is one thread, perhaps on a signal's stack, which is small. */
	static struct file parent;

	parent = preload.file;
	objects_after_fork();
	preload.taken = preload.taken && sampler_other_runs();
	preload.file.header = NULL;
	preload.sampler.page = NULL;
	preload.sampler.base = 0;
	preload.sampler.stacks = 0;
	/* The child is not under its parent's mlockall(). */
	file_room_expect_locking(false);
	if (!getenv("PROFIL_CHILDREN"))
		begin_child(&parent);
	if (!preload.sampler.page && !preload.taken)
		sampler_discard();
	gmon_counters_after_fork(&parent);
	file_forget(&parent);
}

static void fork_prepare(void)
{
	int error = errno;

	if (preload_has_file())
		gmon_counters_before_fork();
	errno = error;
}

static void fork_child(void)
{
	int error = errno;

	if (file_is_there(&preload.file))
		inherit();
	errno = error;
}

static void begin_with(int fd)
{
	const char *samples = getenv("PROFIL_SAMPLES");
	const char *wanted = getenv("PROFIL_STACKS");

	capacity = samples ? strtoull(samples, NULL, 10) : 0;
	stacks = !wanted || strcmp(wanted, "0");
	preload.sampler.rate = wanted_rate();
	begin(fd);
	pthread_atfork(fork_prepare, NULL, fork_child);
}

static void begin_once(void)
{
	int fd, error;

	preload.next_ioctl =
		(int (*)(int, unsigned long, ...))preload_next("ioctl");
	preload.next_fork = (pid_t (*)(void))preload_next("_Fork");
	set_name();
	fd = libprofil_device_open();
	if (fd < 0) {
		error = errno;
		refuse(libprofil_device_error(error), message_open_error(error));
		return;
	}
	if (is_wanted())
		begin_with(fd);
	close(fd);
}

/*
 * The first to come is the constructor or, before it, one that runs another
 * library's: there is one thread.
 */
void preload_begin(void)
{
	static bool has_begun;
	int error = errno;

	if (has_begun)
		return;
	has_begun = true;
	begin_once();
	errno = error;
}

__attribute__((constructor)) static void start(int argc, char **argv)
{
	int error = errno;

	preload_begin();
	log_arguments(argc, argv);
	errno = error;
}

/*
 * fork() without its handlers, for handlers of signals: what is done for a child
 * are system calls, and nothing that is locked. libc's fork() has its own.
 */
EXPORT pid_t _Fork(void)
{
	pid_t pid;

	preload_begin();
	if (!preload.next_fork) {
		errno = ENOSYS;
		return -1;
	}
	fork_prepare();
	pid = preload.next_fork();
	if (pid == 0)
		fork_child();
	return pid;
}

/*
 * Says what the kernel counted. The profile itself goes on: destructors and
 * exit handlers are still to come. Without the page it has ended before: the
 * program has unmapped it.
 */
static void finish(struct profile_header *header)
{
	struct profil_status status = { .nsamples = 0 };
	bool runs = sampler_status(&preload.sampler, &status);

	objects_log_changes(&preload.file,
			    preload.sampler.base + status.nsamples, -1);
	if (runs) {
		sampler_add_up(&preload.sampler, &status);
		if (status.state != PROFIL_STATE_ON)
			header->stopped = status.state;
	} else if (preload.sampler.page) {
		header->stopped = PROFIL_STATE_FAULT;
	}
	file_end(&preload.file);
	/* Without its page it is not known how many samples there are. */
	if (header->unattended && (runs || !preload.sampler.page))
		file_room_trim(&preload.file,
			       preload.sampler.base + status.nsamples,
			       preload.sampler.stacks + status.stack_bytes);
}

__attribute__((destructor)) static void end(void)
{
	int error = errno;

	if (preload_has_file())
		finish(preload.file.header);
	errno = error;
}

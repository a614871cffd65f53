// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofil-preload.so: profiles the program that it is preloaded into, from
 * before main() to its end, whatever the end is.
 *
 * The environment says how; profil(1) sets it, and describes it:
 *
 *	PROFIL_DIRECTORY	where the files go; default: profil.out
 *	PROFIL_RATE		clock (default), tick or fast
 *	PROFIL_SAMPLES		most samples in a file
 *	PROFIL_CHILDREN		only the process with this number
 *	PROFIL_QUIET		no messages about profiles that are not made
 *
 * A process has one file for each program that it runs; a fork child has its
 * own. Nothing is kept open, no signal is used, and no system call is made
 * between start and end but at dlopen, dlclose and fork.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "gmon.h"
#include "preload.h"
#include "message.h"
#include "objects.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DIRECTORY	"profil.out"

struct preload preload;
static char directory[3072];
static uint64_t capacity;

void *preload_next(const char *symbol)
{
	return dlsym(RTLD_NEXT, symbol);
}

static uint32_t wanted_rate(void)
{
	const char *rate = getenv("PROFIL_RATE");

	if (rate && !strcmp(rate, "fast"))
		return PROFIL_RATE_FAST;
	if (rate && !strcmp(rate, "tick"))
		return PROFIL_RATE_TICK;
	return PROFIL_RATE_CLOCK;
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

static void log_program(int argc, char **argv)
{
	struct file *file = &preload.file;
	struct utsname host;
	const char *last;

	objects_log_changes(file, 0);
	file_log(file, PROFILE_NAME, 0, program_invocation_short_name,
		 strlen(program_invocation_short_name) + 1, NULL, 0);
	if (uname(&host) == 0)
		file_log(file, PROFILE_HOST, 0, host.nodename,
			 strlen(host.nodename) + 1, NULL, 0);
	if (argc < 1)
		return;
	last = argv[argc - 1];
	/* The kernel puts them next to each other. */
	if (last < argv[0] || last - argv[0] > 4096)
		last = argv[0];
	file_log(file, PROFILE_ARGUMENTS, 0, argv[0],
		 (size_t)(last - argv[0]) + strlen(last) + 1, NULL, 0);
}

static int create_file(void)
{
	return file_create(&preload.file, directory,
			   program_invocation_short_name, capacity);
}

static int begin(int argc, char **argv, int fd)
{
	int error = set_directory();

	if (error)
		return error;
	error = create_file();
	if (error == ENOENT && mkdir(directory, 0777) == 0)
		error = create_file();
	if (error)
		return error;
	log_program(argc, argv);
	error = sampler_start(&preload.sampler, &preload.file, 0, fd);
	if (error) {
		preload.error = error;
		unlink(preload.file.path);
		file_forget(&preload.file);
	}
	return error;
}

void preload_resume(void)
{
	struct sampler *sampler = &preload.sampler;

	if (preload.file.header)
		sampler_start(sampler, &preload.file,
			      sampler_position(sampler), -1);
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
	file_copy_log(&preload.file, parent);
	sampler_start(&preload.sampler, &preload.file, 0, -1);
}

/*
 * The profile that the child has inherited is over an array that it has not:
 * it is replaced or stopped.
 */
static void fork_child(void)
{
	struct file parent = preload.file;

	if (!parent.header)
		return;
	objects_after_fork();
	gmon_after_fork();
	preload.file.header = NULL;
	preload.sampler.page = NULL;
	preload.sampler.base = 0;
	if (!getenv("PROFIL_CHILDREN"))
		begin_child(&parent);
	if (!preload.sampler.page)
		sampler_discard();
	file_forget(&parent);
}

/* Once: the programs that this one runs need not repeat it. */
static void complain(const char *what, const char *why)
{
	if (getenv("PROFIL_QUIET"))
		return;
	message("%s: %s: %s runs without a profile", what, why,
		program_invocation_short_name);
	setenv("PROFIL_QUIET", "1", 1);
}

static void begin_with(int argc, char **argv, int fd)
{
	const char *samples = getenv("PROFIL_SAMPLES");
	int error;

	capacity = samples ? strtoull(samples, NULL, 0) : 0;
	preload.sampler.rate = wanted_rate();
	error = begin(argc, argv, fd);
	if (error)
		complain(directory, strerror(error));
	pthread_atfork(NULL, NULL, fork_child);
}

__attribute__((constructor)) static void start(int argc, char **argv)
{
	int fd;

	preload.error = sampler_open(&fd);
	if (preload.error) {
		complain("/dev/profil", message_device_error(preload.error));
		return;
	}
	if (is_wanted())
		begin_with(argc, argv, fd);
	close(fd);
}

/*
 * Says what the kernel counted. The profile itself goes on: destructors and
 * exit handlers are still to come.
 */
__attribute__((destructor)) static void end(void)
{
	struct profile_header *header = preload.file.header;
	const struct profil_status *page = preload.sampler.page;

	if (!header)
		return;
	objects_log_changes(&preload.file, sampler_position(&preload.sampler));
	if (sampler_runs(&preload.sampler)) {
		header->ticks += page->ticks;
		header->counted += page->counted;
		header->dropped += page->dropped;
		if (page->state != PROFIL_STATE_ON)
			header->stopped = page->state;
	}
	file_end(&preload.file);
}

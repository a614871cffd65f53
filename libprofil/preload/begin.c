// SPDX-License-Identifier: LGPL-2.1-or-later
#include "begin.h"
#include "arguments.h"
#include "device.h"
#include "environment.h"
#include "file_create.h"
#include "file_log.h"
#include "fork.h"
#include "message.h"
#include "objects.h"
#include "preload.h"
#include "process_file.h"
#include "system.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* For pthread_atfork(): the compiler's start files, which have it, are not linked. */
__attribute__((visibility("hidden"))) void *const __dso_handle = (void *)&__dso_handle;

/*
 * argv[0] may hold anything, and a program that sets its title overwrites it. So
 * copy it, and make it a safe file name: no slash, no control character or blank,
 * and no dot or dash at its beginning.
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
	if (system_uname(&system) == 0)
		log_text(PROFILE_HOST, system.nodename);
	objects_log_changes(&preload.file, 0, fd);
}

/* Only once: this also silences the programs that this one runs. */
static void complain(const char *what, const char *why, const char *without)
{
	if (environment_is_quiet())
		return;
	message("%s: %s: %s runs without %s", what, why, preload.name, without);
	environment_be_quiet();
}

static void refuse(int error, const char *why)
{
	preload.error = error;
	preload.why = why;
	complain(PROFIL_DEVICE, why, "a profile");
}

static void begin(int fd)
{
	bool alone = environment_is_unattended(), stacks;
	int error = process_file_make(alone);
	const char *directory;

	if (error) {
		directory = process_file_directory();
		complain(*directory ? directory : "-o, PROFIL_DIRECTORY", strerror(error),
			 "a profile");
		return;
	}
	stacks = preload.file.stacks_room;
	if (environment_wants_stacks() && !preload.file.stacks_room)
		complain(preload.file.path,
			 "the process's limits leave no room for call stacks", "them");
	preload.file.header->run = (uint32_t)environment_run();
	preload.file.header->unattended = alone;
	log_origin(fd);
	error = sampler_start(&preload.sampler, &preload.file, 0, fd);
	if (!error) {
		if (stacks && !preload.sampler.stacking)
			complain(PROFIL_DEVICE, "the module makes no call stacks "
				 "(it is too old or built without them, its parameter stacks "
				 "is N, or it has no memory)", "them");
		else if (stacks && preload.sampler.waits &&
			 !(preload.file.header->flags & PROFIL_WAITS))
			complain(PROFIL_DEVICE, "the module records no waits (it is too "
				 "old, does not see context switches, or has no memory for them)",
				 "them");
		return;
	}
	refuse(error, message_start_error(error));
	file_create_undo(&preload.file);
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
	if (environment_wants_this()) {
		pthread_atfork(fork_prepare, NULL, fork_child);
		preload.sampler.rate = environment_rate();
		preload.sampler.waits = environment_wants_waits();
		begin(fd);
	}
	system_close(fd);
}

/*
 * The first call comes from the constructor below, or from another library's
 * constructor that runs earlier. Either way there is only one thread.
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
	arguments_log(&preload.file, argc, argv);
	errno = error;
}

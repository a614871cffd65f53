// SPDX-License-Identifier: LGPL-2.1-or-later
#include "arguments.h"
#include "file_cut.h"
#include "objects.h"
#include "preload.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Nobody else makes the file small. This ends the profile, some moments before the
 * process. A sampler that cannot be stopped, or whose page is gone, has an unknown number
 * of samples.
 */
static void cut(void)
{
	sampler_stop(&preload.sampler, -1);
	if (!preload.sampler.page)
		file_cut(&preload.file, preload.sampler.base, preload.sampler.stacks);
}

/*
 * Writes the kernel's counts into the header. The profile goes on, for destructors
 * and exit handlers that still run. If the status page is gone, the program has
 * unmapped it and so ended the profile.
 */
static void finish(struct profile_header *header)
{
	struct profil_status status = { .nsamples = 0 };
	bool runs = sampler_status(&preload.sampler, &status);

	objects_log_changes(&preload.file,
			    preload.sampler.base + status.nsamples, -1);
	arguments_log_title(&preload.file);
	if (runs)
		preload_note_stop(status.state);
	else if (preload.sampler.page)
		preload_note_stop(PROFIL_STATE_FAULT);
	file_end(&preload.file, file_now_ns(CLOCK_MONOTONIC));
	if (header->unattended)
		cut();
	/* It was not stopped. */
	if (runs && preload.sampler.page)
		sampler_add_up(&preload.sampler, &status);
}

/* A thread that has been cancelled must not end here, and leave the process. */
__attribute__((destructor)) static void end(void)
{
	int error = errno, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (preload_has_file())
		finish(preload.file.header);
	pthread_setcancelstate(state, NULL);
	errno = error;
}

/*
 * Most fork children of shells and interpreters end here, and call no destructor. If the
 * thread has been cancelled, open() would end only the thread.
 */
static void __attribute__((noreturn)) leave(int status)
{
	if (preload_has_file() && preload.file.header->unattended) {
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		cut();
	}
	for (;;)
		syscall(SYS_exit_group, status);
}

EXPORT void _exit(int status)
{
	leave(status);
}

EXPORT void _Exit(int status)
{
	leave(status);
}

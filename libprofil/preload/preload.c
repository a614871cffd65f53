// SPDX-License-Identifier: LGPL-2.1-or-later
#include "preload.h"
#include "environment.h"
#include "large.h"
#include "message.h"
#include "objects.h"

#include <dlfcn.h>

/* The Makefile links this file first: this is before all other large data. */
struct preload preload LARGE;

void *preload_next(const char *symbol)
{
	return dlsym(RTLD_NEXT, symbol);
}

bool preload_has_file(void)
{
	return file_is_ours(&preload.file);
}

/* A killed process says it, too. */
static void note_gap(int error)
{
	struct profile_header *header = preload.file.header;
	static bool said;

	header->stopped = PROFIL_STATE_DENIED;
	header->start_error = (uint32_t)error;
	if (!said && !environment_is_quiet())
		message(PROFIL_DEVICE ": %s: the profile of %s is incomplete",
			message_start_error(error), preload.name);
	said = true;
}

/* A file that is full keeps the reason of an earlier refusal. */
void preload_note_stop(uint32_t state)
{
	struct profile_header *header = preload.file.header;

	if (state != PROFIL_STATE_ON && (state > PROFIL_STATE_FULL || !header->stopped))
		header->stopped = state;
}

void preload_resume(int fd)
{
	struct sampler *sampler = &preload.sampler;
	uint64_t base = sampler_position(sampler);
	int error;

	/* Readers see themselves that a file is full. The program's own profile goes on. */
	if (preload.taken || !preload.file.header || base >= preload.file.room)
		return;
	error = sampler_start(sampler, &preload.file, base, fd);
	if (error)
		note_gap(error);
	else
		objects_tell_refused(&preload.file, base);
}

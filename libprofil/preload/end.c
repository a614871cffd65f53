// SPDX-License-Identifier: LGPL-2.1-or-later
#include "file_room.h"
#include "objects.h"
#include "preload.h"

#include <errno.h>

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
	if (runs) {
		sampler_add_up(&preload.sampler, &status);
		if (status.state != PROFIL_STATE_ON)
			header->stopped = status.state;
	} else if (preload.sampler.page) {
		header->stopped = PROFIL_STATE_FAULT;
	}
	file_end(&preload.file);
	/* Without its page, the number of samples is unknown. */
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

// SPDX-License-Identifier: LGPL-2.1-or-later
/* profil_phase(): the program says what it begins to do. */
#pragma GCC visibility push(default)
#include <libprofil.h>
#pragma GCC visibility pop

#include "file_log.h"
#include "preload.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Longer names are cut. */
#define NAME_MOST	255

void profil_phase(const char *name)
{
	uint64_t now = file_now_ns(CLOCK_MONOTONIC);
	char text[NAME_MOST + 1] = "";
	int error = errno;

	if (!preload_has_file())
		return;
	if (name)
		strncat(text, name, NAME_MOST);
	file_log(&preload.file, PROFILE_PHASE, sampler_position(&preload.sampler), &now,
		 sizeof(now), text, strlen(text) + 1);
	errno = error;
}

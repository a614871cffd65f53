// SPDX-License-Identifier: LGPL-2.1-or-later
/* profil_phase(): the program says what it begins to do. */
#pragma GCC visibility push(default)
#include <libprofil.h>
#pragma GCC visibility pop

#include "file_log.h"
#include "preload.h"

#include <errno.h>
#include <string.h>

/* Longer names are cut. */
#define NAME_MOST	255

void profil_phase(const char *name)
{
	char text[NAME_MOST + 1] = "";
	int error = errno;

	if (!preload_has_file())
		return;
	if (name)
		strncat(text, name, NAME_MOST);
	file_log_phase(&preload.file, sampler_position(&preload.sampler), text);
	errno = error;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* What fuzzers of the tools have in common. */
#include "fuzz.h"

void __wrap_warn(const char *format, ...);

/* Nearly everything that is read here is worth a warning: they say nothing. */
void __wrap_warn(const char *format, ...)
{
	(void)format;
}

char fuzz_directory[] = "/tmp/profil-fuzz.XXXXXX/", fuzz_path[64];

static void remove_all(void)
{
	unlink(fuzz_path);
	rmdir(fuzz_directory);
}

void fuzz_name(const char *name)
{
	fuzz_directory[sizeof(fuzz_directory) - 2] = '\0';
	if (!mkdtemp(fuzz_directory) || atexit(remove_all))
		abort();
	fuzz_directory[sizeof(fuzz_directory) - 2] = '/';
	snprintf(fuzz_path, sizeof(fuzz_path), "%s%s", fuzz_directory, name);
}

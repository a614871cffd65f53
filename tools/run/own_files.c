// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/own_files.h"
#include "common/memory.h"
#include "paths.h"

#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define PRELOAD		"libprofil-preload.so"
#define REPORT		"profil-report"
#define SERVER		"profil-serve"

/* The directory of this program; "" if it is unknown. */
static const char *own_directory(void)
{
	static char path[4096];
	const char *called = (const char *)getauxval(AT_EXECFN);
	char *slash;

	if (called && called[0] == '/' && strlen(called) < sizeof(path))
		strcpy(path, called);
	else if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return "";
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return path;
}

/* Whether this program runs in the build tree: profil-report is beside it then. */
static bool is_built(void)
{
	static int built = -1;

	if (built < 0)
		built = access(format_text("%s/" REPORT, own_directory()),
			       X_OK) == 0;
	return built;
}

static char *own_file(const char *beside, const char *name, const char *installed)
{
	if (is_built())
		return format_text("%s%s/%s", own_directory(), beside, name);
	return format_text("%s/%s", installed, name);
}

char *own_files_library(void)
{
	return own_file("/../lib", PRELOAD, LIBDIR);
}

char *own_files_profil(void)
{
	return format_text("%s/profil", own_directory());
}

char *own_files_report(void)
{
	return own_file("", REPORT, LIBEXECDIR);
}

char *own_files_server(void)
{
	return own_file("", SERVER, LIBEXECDIR);
}

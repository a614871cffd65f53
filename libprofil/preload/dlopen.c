// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dlopen() and dlclose(): logs the objects that they load and unload.
 *
 * libc's dlopen() depends on its caller: it searches the caller's RUNPATH for a name
 * without a slash, and replaces $ORIGIN by the caller's directory. Where this matters
 * (see library_search.c), this library jumps to libc's function, which then sees the
 * caller's return address. No code here can run after the jump. The objects that it
 * loads are logged by the next dlopen() or dlclose(), in a fork, or at the end.
 * -foptimize-sibling-calls makes the compiler jump; a test loads an object by a RUNPATH.
 */
#include "library_search.h"
#include "objects.h"
#include "preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static void log_changes(void)
{
	int error = errno;

	if (preload_has_file())
		objects_log_changes(&preload.file,
				    sampler_position(&preload.sampler), -1);
	errno = error;
}

static bool depends_on_caller(const char *name, const void *caller)
{
	if (!name)
		return false;
	return strchr(name, '$') ||
	       (!strchr(name, '/') && !library_search_is_the_same(caller));
}

EXPORT void *dlopen(const char *name, int mode)
{
	static __typeof__(dlopen) *next;
	void *handle;

	if (!next)
		next = NEXT(dlopen);
	if (depends_on_caller(name, __builtin_return_address(0)))
		return next(name, mode);
	handle = next(name, mode);
	if (name)
		log_changes();
	return handle;
}

EXPORT int dlclose(void *handle)
{
	static __typeof__(dlclose) *next;
	int result;

	if (!next)
		next = NEXT(dlclose);
	/* Before the unloading: a jump may have loaded objects that are not logged yet. */
	log_changes();
	result = next(handle);
	log_changes();
	return result;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dlopen() and dlclose(), to log what they load and unload.
 *
 * libc's dlopen() looks where it was called from: a name without a slash is
 * searched for along the caller's RUNPATH, and $ORIGIN is the caller's. Where that
 * matters (see library_search.c) calls must reach libc with their caller's return address,
 * that is by a jump, and nothing can be done after them: what they load is logged
 * at the next occasion, at the latest at the end or in a fork. The compiler must make the
 * jump: this file is compiled with -foptimize-sibling-calls, and a test has an
 * object with a RUNPATH.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "library_search.h"
#include "objects.h"
#include "preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

typedef void *dlopen_function(const char *, int);

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
	static dlopen_function *next;
	void *handle;

	if (!next)
		next = (dlopen_function *)preload_next("dlopen");
	if (depends_on_caller(name, __builtin_return_address(0)))
		return next(name, mode);
	handle = next(name, mode);
	if (name)
		log_changes();
	return handle;
}

EXPORT int dlclose(void *handle)
{
	static int (*next)(void *);
	int result;

	if (!next)
		next = (int (*)(void *))preload_next("dlclose");
	/* What came by a jump, before it goes. */
	log_changes();
	result = next(handle);
	log_changes();
	return result;
}

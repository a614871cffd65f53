// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs that lock or limit their own memory. The mapped file is 80 GiB of holes,
 * which cost nothing until the program locks its memory or limits its address space.
 * Then these functions shrink the mapping:
 *
 *	mlockall()	During the call, only room for the samples of the next seconds
 *			is mapped. The rest is mapped again afterwards, and none of it
 *			is locked. RLIMIT_MEMLOCK is compared with the address space,
 *			and only during the call.
 *	RLIMIT_AS	The room shrinks to a sixteenth of the limit, as for a program
 *			that starts with a limit.
 *
 * System calls that bypass libc's functions are not seen.
 */
#include "file_room.h"
#include "preload.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

/* Samples during mlockall(): eight seconds of CPU time at 1000 a second. */
#define ROOM_MEANWHILE	8192

/* True if the sampler ran until now. */
static bool pause_sampler(void)
{
	bool runs = sampler_runs(&preload.sampler);

	if (runs)
		sampler_stop(&preload.sampler);
	return runs;
}

static void resume_sampler(bool runs)
{
	if (runs)
		preload_resume();
}

typedef int call_function(int flags);

/* Keeps room for samples during the call. If the call fails, tries again without room. */
static int call_folded(call_function *call, int flags, bool runs)
{
	int result, error;

	file_room_fold(&preload.file, preload.sampler.base + ROOM_MEANWHILE);
	resume_sampler(runs);
	result = call(flags);
	error = errno;
	pause_sampler();
	if (result < 0 && (error == ENOMEM || error == EAGAIN)) {
		file_room_fold(&preload.file, 0);
		result = call(flags);
		error = errno;
	}
	errno = error;
	return result;
}

static int call_without_us(call_function *call, int flags)
{
	bool runs = pause_sampler();
	int result = call_folded(call, flags, runs);
	int error = errno;

	file_room_unfold(&preload.file);
	resume_sampler(runs);
	errno = error;
	return result;
}

EXPORT int mlockall(int flags)
{
	int result = preload_has_file() ? call_without_us(NEXT(mlockall), flags) :
					  NEXT(mlockall)(flags);

	if (result == 0)
		file_room_expect_locking(flags & MCL_FUTURE);
	return result;
}

EXPORT int munlockall(void)
{
	int result = NEXT(munlockall)();

	if (result == 0)
		file_room_expect_locking(false);
	return result;
}

/* After the program has limited its address space. */
static void keep_limit(void)
{
	const struct sampler *sampler = &preload.sampler;
	struct rlimit limit;
	int error = errno;
	bool runs;

	if (preload_has_file() && getrlimit(RLIMIT_AS, &limit) == 0) {
		runs = pause_sampler();
		file_room_limit(&preload.file, limit.rlim_cur,
				sampler->base + ROOM_MEANWHILE, sampler->stacks);
		resume_sampler(runs);
	}
	errno = error;
}

/* Passes on the @result of a call that has set a limit of @pid, 0: this process. */
static int follow_limit(int result, pid_t pid, int resource)
{
	if (result == 0 && resource == RLIMIT_AS && (pid == 0 || pid == getpid()))
		keep_limit();
	return result;
}

EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	return follow_limit(NEXT(setrlimit)(resource, limit), 0, resource);
}

EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	return follow_limit(NEXT(setrlimit64)(resource, limit), 0, resource);
}

EXPORT int prlimit(pid_t pid, enum __rlimit_resource resource,
		   const struct rlimit *limit, struct rlimit *old)
{
	int result = NEXT(prlimit)(pid, resource, limit, old);

	return limit ? follow_limit(result, pid, resource) : result;
}

EXPORT int prlimit64(pid_t pid, enum __rlimit_resource resource,
		     const struct rlimit64 *limit, struct rlimit64 *old)
{
	int result = NEXT(prlimit64)(pid, resource, limit, old);

	return limit ? follow_limit(result, pid, resource) : result;
}

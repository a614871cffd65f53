// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs that lock or limit their own memory. 64 GiB of holes cost nothing
 * but where they are to be in memory, or are counted. So they are not there
 * then:
 *
 *	mlockall()	finds only the room for the samples of the next seconds;
 *			the rest comes back afterwards, and all of it unlocked.
 *			Under RLIMIT_MEMLOCK the size of the address space is
 *			what counts, and that only during the call.
 *	RLIMIT_AS	leaves room in a sixteenth of the limit, as for a program
 *			that is started with one.
 *
 * System calls that are not made by libc's functions are not seen.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "file_room.h"
#include "preload.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

/* Eight seconds of CPU time at 1000 samples a second. */
#define ROOM_MEANWHILE	8192

/* True if samples were stored until now. */
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

/* With room for samples to go on meanwhile; if that is too much, without. */
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
	call_function *next = (call_function *)preload_next("mlockall");
	int result = preload_has_file() ? call_without_us(next, flags) :
					  next(flags);

	if (result == 0)
		file_room_expect_locking(flags & MCL_FUTURE);
	return result;
}

EXPORT int munlockall(void)
{
	int result = ((int (*)(void))preload_next("munlockall"))();

	if (result == 0)
		file_room_expect_locking(false);
	return result;
}

/* A limit of the address space has been set: to @limit bytes. */
static void keep_limit(uint64_t limit)
{
	const struct sampler *sampler = &preload.sampler;
	int error = errno;
	bool runs;

	if (preload_has_file()) {
		runs = pause_sampler();
		file_room_limit(&preload.file, limit,
				sampler->base + ROOM_MEANWHILE, sampler->stacks);
		resume_sampler(runs);
	}
	errno = error;
}

static bool is_for_us(pid_t pid)
{
	return pid == 0 || pid == getpid();
}

EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	int (*next)(__rlimit_resource_t, const struct rlimit *) =
		(int (*)(__rlimit_resource_t, const struct rlimit *))
			preload_next("setrlimit");
	int result = next(resource, limit);

	if (result == 0 && resource == RLIMIT_AS)
		keep_limit(limit->rlim_cur);
	return result;
}

EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	int (*next)(__rlimit_resource_t, const struct rlimit64 *) =
		(int (*)(__rlimit_resource_t, const struct rlimit64 *))
			preload_next("setrlimit64");
	int result = next(resource, limit);

	if (result == 0 && resource == RLIMIT_AS)
		keep_limit(limit->rlim_cur);
	return result;
}

EXPORT int prlimit(pid_t pid, enum __rlimit_resource resource,
		   const struct rlimit *limit, struct rlimit *old)
{
	int (*next)(pid_t, enum __rlimit_resource, const struct rlimit *,
		    struct rlimit *) =
		(int (*)(pid_t, enum __rlimit_resource, const struct rlimit *,
			 struct rlimit *))preload_next("prlimit");
	int result = next(pid, resource, limit, old);

	if (result == 0 && limit && resource == RLIMIT_AS && is_for_us(pid))
		keep_limit(limit->rlim_cur);
	return result;
}

EXPORT int prlimit64(pid_t pid, enum __rlimit_resource resource,
		     const struct rlimit64 *limit, struct rlimit64 *old)
{
	int (*next)(pid_t, enum __rlimit_resource, const struct rlimit64 *,
		    struct rlimit64 *) =
		(int (*)(pid_t, enum __rlimit_resource, const struct rlimit64 *,
			 struct rlimit64 *))preload_next("prlimit64");
	int result = next(pid, resource, limit, old);

	if (result == 0 && limit && resource == RLIMIT_AS && is_for_us(pid))
		keep_limit(limit->rlim_cur);
	return result;
}

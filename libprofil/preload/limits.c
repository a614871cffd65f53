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
 * System calls that bypass libc's functions are not seen. One thread at a time changes the
 * mapping.
 */
#include "file_room.h"
#include "memory.h"
#include "objects.h"
#include "preload.h"
#include "system.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define MOMENT_NS	10000000
/* Not longer: the other thread may wait for this one, or have jumped out of its call. */
#define MOST_SECONDS	10

/* Signals that the thread whose turn it is had blocked. */
static sigset_t blocked;

/* All but those of an instruction or a system call: the kernel kills where these are blocked. */
static void hold_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGSYS);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

static void end_turn(void)
{
	sigset_t before = blocked;

	atomic_store(&preload.file.changing, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/*
 * Sleeps, unless it is MOST_SECONDS after the first call with *@began. The kernel's clock and sleep:
 * the program's may be functions of its own. It takes two longs, also where libc's times have 64
 * bits.
 */
static bool wait_a_moment(long *began)
{
	const long moment[2] = { 0, MOMENT_NS };
	long now[2];

	if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, now) < 0)
		return false;
	if (!*began)
		*began = now[0];
	if (now[0] - *began > MOST_SECONDS)
		return false;
	syscall(SYS_nanosleep, moment, NULL);
	return true;
}

/*
 * Before a look at the file, which another thread may be changing. False: leave it as it is. It is
 * not there, or not this process's, or the turn is another thread's for too long, or this thread's
 * own, in a call that a signal has interrupted. Threads sleep, as a real-time one may wait for one
 * of a lower priority. In the turn, but not during the call itself, signals wait: a handler may
 * lock all of the file; or fork, and the child has another one.
 */
static bool take_turn(void)
{
	uintptr_t self = (uintptr_t)pthread_self(), other;
	sigset_t before;
	long began = 0;
	int error = errno;
	bool mine = false;

	if (preload.file.pid != system_getpid())
		return false;
	/* No number of moments: on a busy machine they take longer, and signals end them. */
	for (;;) {
		other = 0;
		hold_signals(&before);
		mine = atomic_compare_exchange_strong(&preload.file.changing, &other, self);
		if (mine)
			break;
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		if (other == self || !wait_a_moment(&began))
			break;
	}
	if (mine)
		blocked = before;
	if (mine && !preload_has_file()) {
		end_turn();
		mine = false;
	}
	errno = error;
	return mine;
}

/*
 * True if the sampler ran until now. Where it cannot be stopped, for want of a descriptor or
 * after chroot(), it ends: it must not write to memory that another mapping may take.
 */
static bool pause_sampler(void)
{
	bool runs = sampler_runs(&preload.sampler);

	if (runs && !sampler_stop(&preload.sampler, -1)) {
		sampler_end(&preload.sampler);
		objects_forget_table();
	}
	return runs;
}

/* A handler may have made a bare fork, whose child has no file. */
static void resume_sampler(bool runs)
{
	if (runs && preload_has_file())
		preload_resume(-1);
}

typedef int call_function(int flags);

/* 0 or an errno. The call may take long: signals come during it. */
static int call_with_signals(call_function *call, int flags)
{
	int error;

	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	error = call(flags) < 0 ? errno : 0;
	hold_signals(&blocked);
	return error;
}

/*
 * Keeps room for samples during the call. If the call fails, tries again without room. In the fork
 * child of a signal handler it is the child's file, if it could create one. The handler may also
 * have stopped a profile of the program's, so that ours ran. 0 or an errno.
 */
static int call_folded(call_function *call, int flags, bool *runs)
{
	int error;

	file_room_fold(&preload.file, preload.sampler.base + FILE_ROOM_MEANWHILE);
	resume_sampler(*runs);
	error = call_with_signals(call, flags);
	*runs |= pause_sampler();
	if ((error == ENOMEM || error == EAGAIN) && preload_has_file()) {
		file_room_fold(&preload.file, 0);
		error = call_with_signals(call, flags);
	}
	return error;
}

static int call_without_us(call_function *call, int flags)
{
	bool runs = pause_sampler();
	int error = call_folded(call, flags, &runs);

	if (preload_has_file())
		file_room_unfold(&preload.file);
	resume_sampler(runs);
	return error;
}

/* NEXT() before the turn: dlsym() may wait for a constructor, and that for the turn. */
EXPORT int mlockall(int flags)
{
	call_function *next = NEXT(mlockall);
	int before = errno, error;

	if (take_turn()) {
		error = call_without_us(next, flags);
		end_turn();
	} else {
		error = next(flags) < 0 ? errno : 0;
	}
	if (!error)
		file_room_expect_locking(flags & MCL_FUTURE);
	errno = error ? error : before;
	return error ? -1 : 0;
}

EXPORT int munlockall(void)
{
	int result = NEXT(munlockall)();

	if (result == 0)
		file_room_expect_locking(false);
	return result;
}

/* Before the call: else other threads would find no memory until the file is small. */
static void keep_limit(uint64_t bytes, uint64_t most)
{
	const struct sampler *sampler = &preload.sampler;
	int error = errno;
	bool runs;

	/* If @bytes are more, the call fails. */
	if (bytes <= most && take_turn()) {
		runs = pause_sampler();
		file_room_limit(&preload.file, bytes, sampler->base + FILE_ROOM_MEANWHILE,
				sampler->stacks);
		resume_sampler(runs);
		end_turn();
	}
	errno = error;
}

/* Does a call limit the address space of @pid, 0: this process? It may fail. */
static bool limits_space(pid_t pid, int resource, const void *limit, size_t bytes)
{
	return resource == RLIMIT_AS && (pid == 0 || pid == getpid()) && limit &&
	       libprofil_memory_is_readable(limit, bytes);
}

EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	if (limits_space(0, resource, limit, sizeof(*limit)))
		keep_limit(limit->rlim_cur, limit->rlim_max);
	return NEXT(setrlimit)(resource, limit);
}

EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	if (limits_space(0, resource, limit, sizeof(*limit)))
		keep_limit(limit->rlim_cur, limit->rlim_max);
	return NEXT(setrlimit64)(resource, limit);
}

EXPORT int prlimit(pid_t pid, enum __rlimit_resource resource,
		   const struct rlimit *limit, struct rlimit *old)
{
	if (limits_space(pid, resource, limit, sizeof(*limit)))
		keep_limit(limit->rlim_cur, limit->rlim_max);
	return NEXT(prlimit)(pid, resource, limit, old);
}

EXPORT int prlimit64(pid_t pid, enum __rlimit_resource resource,
		     const struct rlimit64 *limit, struct rlimit64 *old)
{
	if (limits_space(pid, resource, limit, sizeof(*limit)))
		keep_limit(limit->rlim_cur, limit->rlim_max);
	return NEXT(prlimit64)(pid, resource, limit, old);
}

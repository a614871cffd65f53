// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil(), sprofil() and pcsample() of programs that profile themselves: the
 * kernel's, as from libprofil.so.1. Without the module the first two are
 * libc's, which is what these programs would have had.
 *
 * An address space has one profile. While the program has its own there are no
 * samples, and the log says so.
 */
#include "message.h"
#include "preload.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/profil.h>

/* libprofil's, under the names that the build gives them here. */
int kernel_profil(unsigned short *buf, size_t bufsiz, size_t offset,
		  unsigned int scale);
int kernel_sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
		   unsigned int flags);
long kernel_pcsample(uintptr_t samples[], long nsamples);

typedef int profil_function(unsigned short *, size_t, size_t, unsigned int);
typedef int sprofil_function(struct prof *, int, struct timeval *,
			     unsigned int);

EXPORT int profil(unsigned short *buf, size_t bufsiz, size_t offset,
		  unsigned int scale);
EXPORT long pcsample(uintptr_t samples[], long nsamples);

static bool falls_back(void)
{
	if (preload.error)
		message_fallback(preload.error);
	return preload.error;
}

/* True if it was ours that ran. */
static bool before_call(void)
{
	bool ours = sampler_runs(&preload.sampler);

	if (ours)
		sampler_stop(&preload.sampler);
	return ours;
}

static long after_call(long result, bool starts, bool ours)
{
	int error = errno;

	if (starts && result >= 0)
		file_log(&preload.file, PROFILE_TAKEN, preload.sampler.base,
			 NULL, 0, NULL, 0);
	else if (ours || result >= 0)
		/* Refused, so that ours was not replaced; or a stop. */
		preload_resume();
	errno = error;
	return result;
}

EXPORT int profil(unsigned short *buf, size_t bufsiz, size_t offset,
		  unsigned int scale)
{
	bool starts = buf && scale > 1, ours;

	if (falls_back()) {
		profil_function *next = (profil_function *)preload_next("profil");

		return next(buf, bufsiz, offset, scale);
	}
	ours = before_call();
	return (int)after_call(kernel_profil(buf, bufsiz, offset, scale),
			       starts, ours);
}

EXPORT int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
		   unsigned int flags)
{
	bool starts = profcnt > 0, ours;

	if (falls_back()) {
		sprofil_function *next =
			(sprofil_function *)preload_next("sprofil");

		return next(profp, profcnt, tvp, flags);
	}
	ours = before_call();
	return (int)after_call(kernel_sprofil(profp, profcnt, tvp, flags),
			       starts, ours);
}

EXPORT long pcsample(uintptr_t samples[], long nsamples)
{
	bool ours;

	if (preload.error) {
		errno = preload.error;
		return -1;
	}
	ours = before_call();
	return after_call(kernel_pcsample(samples, nsamples), nsamples > 0,
			  ours);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Solaris and illumos: profil() and pcsample(). Neither checks the buffer: a bad
 * one turns profiling off at the first tick, without an error. profil() is void
 * and its man page lists no errors; here it sets errno if the module cannot be
 * reached.
 */
#pragma GCC visibility push(default)
#include <pcsample.h>
#include <unistd.h>
#pragma GCC visibility pop

#include <errno.h>
#include <limits.h>

#include "device.h"
#include "memory.h"
#include "profil.h"

void profil(unsigned short *buff, size_t bufsiz, unsigned long offset,
	    unsigned int scale)
{
	(void)libprofil_profil(PROFIL_DIALECT_SOLARIS, buff, bufsiz, offset, scale);
}

/* Returns the number of samples since the last call. */
static long stop_sampling(void)
{
	struct profil_status stopped = { .size = sizeof(stopped) };

	if (libprofil_device_call(PROFIL_IOC_STOP, &stopped) < 0)
		return -1;
	return (long)stopped.nsamples;
}

/* Solaris stored samples up to the end of user space. */
static uint64_t samples_in_user_space(const uintptr_t *samples, long nsamples)
{
	uint64_t size;

	if (__builtin_mul_overflow(nsamples, sizeof(*samples), &size))
		size = UINT64_MAX;
	return libprofil_memory_user_bytes((uintptr_t)samples, size) /
	       sizeof(*samples);
}

long pcsample(uintptr_t samples[], long nsamples)
{
	struct profil_status last = { .size = sizeof(last) };
	struct profil_samples request = {
		.size		= sizeof(request),
		.buf		= (uintptr_t)samples,
		.nsamples	= (uint64_t)nsamples,
		.width		= sizeof(*samples),
		.rate		= PROFIL_RATE_CLOCK,
		.tag		= PROFIL_DIALECT_PCSAMPLE,
		.last		= (uintptr_t)&last,
	};
	int before = errno;

	if (nsamples < 0) {
		errno = EINVAL;
		return -1;
	}
	if (nsamples == 0)
		return stop_sampling();
	if (libprofil_device_call(PROFIL_IOC_SAMPLES, &request) == 0)
		return (long)last.nsamples;
	if (errno != EFAULT && errno != EINVAL)
		return -1;
	errno = before;
	request.nsamples = samples_in_user_space(samples, nsamples);
	/* An array outside user space never gets a sample: only stop. */
	if (request.nsamples == 0)
		return stop_sampling();
	if (libprofil_device_call(PROFIL_IOC_SAMPLES, &request) < 0)
		return -1;
	return (long)last.nsamples;
}

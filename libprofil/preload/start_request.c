// SPDX-License-Identifier: LGPL-2.1-or-later
#include "start_request.h"

#include <errno.h>

bool start_request_reduce(struct profil_samples *samples, int error, uint32_t known)
{
	uint32_t flags = samples->flags;

	switch (error) {
	case EACCES:
		if (samples->rate == PROFIL_RATE_CLOCK)
			return false;
		samples->rate--;
		samples->flags &= ~PROFIL_RANDOM;
		return true;
	case ENOMEM:
		known = ~PROFIL_WAITS;
		break;
	case EINVAL:
	case EOPNOTSUPP:
	case E2BIG:
		break;
	default:
		return false;
	}
	/* Without this, ticks of a fork child write to whatever it maps there. */
	samples->flags &= known | PROFIL_DONTFORK;
	if (samples->flags != flags)
		return true;
	if (!samples->stacks)
		return false;
	samples->stacks = samples->stacks_size = samples->first_sample = 0;
	samples->flags &= ~PROFIL_WAITS;
	return true;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* A program's samples of itself with stacks; stack_decoder.c reads them. */
#pragma GCC visibility push(default)
#include <libprofil.h>
#pragma GCC visibility pop

#include "device.h"

int profil_start_stacks(struct profil_samples *samples)
{
	/* Before the first tick needs it. */
	if (profil_update_objects() < 0)
		return -1;
	return libprofil_device_call(PROFIL_IOC_SAMPLES, samples);
}

int profil_stop_stacks(struct profil_status *status)
{
	return libprofil_device_call(PROFIL_IOC_STOP, status);
}

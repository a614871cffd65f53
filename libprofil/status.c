// SPDX-License-Identifier: LGPL-2.1-or-later
/* Queries of the module, which change nothing. */
#pragma GCC visibility push(default)
#include <libprofil.h>
#pragma GCC visibility pop

#include "device.h"

int profil_get_status(struct profil_status *status)
{
	return libprofil_device_call(PROFIL_IOC_STATUS, status);
}

int profil_get_features(struct profil_features *features)
{
	return libprofil_device_call(PROFIL_IOC_FEATURES, features);
}

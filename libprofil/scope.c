// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scope.h"
#include "device.h"

int libprofil_scope_own(unsigned long command, struct profil_status *status)
{
	struct profil_thread mine = {
		.size	= sizeof(mine),
		.status	= (uintptr_t)status,
	};

	*status = (struct profil_status){ .size = sizeof(*status) };
	return libprofil_device_call(command, &mine);
}

int libprofil_scope_stop(void)
{
	struct profil_status stopped = { .size = sizeof(stopped) };

	return libprofil_device_call(PROFIL_IOC_STOP, &stopped);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/descriptors.h"

#include <sys/resource.h>

void descriptors_allow_all(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

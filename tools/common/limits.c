// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/limits.h"

#include <sys/resource.h>

void limits_raise(int resource)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit((__rlimit_resource_t)resource, &limit);
}

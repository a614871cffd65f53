// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/limits.h"

#include <sys/resource.h>

/* libdw needs less, and a program may have more than it should hand on. */
#define STACK_MOST	(64UL << 20)

#define REPORT_SECONDS	300

static struct rlimit files, stack;

static void raise_to(__rlimit_resource_t resource, rlim_t most, struct rlimit *before)
{
	struct rlimit limit;

	if (getrlimit(resource, before) < 0 || before->rlim_cur >= most)
		return;
	limit = *before;
	limit.rlim_cur = limit.rlim_max < most ? limit.rlim_max : most;
	setrlimit(resource, &limit);
}

void limits_raise(void)
{
	raise_to(RLIMIT_NOFILE, RLIM_INFINITY, &files);
	raise_to(RLIMIT_STACK, STACK_MOST, &stack);
}

void limits_restore(void)
{
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_STACK, &stack);
}

void limits_of_report(void)
{
	const struct rlimit most = { REPORT_SECONDS, REPORT_SECONDS };

	setrlimit(RLIMIT_CPU, &most);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_groups.h"

#define PROCESSES_MOST	200	/* more of them are shown by name */

bool html_groups_by_name(const struct profile *profile)
{
	return profile->nprocesses > PROCESSES_MOST;
}

size_t html_groups_of(const struct profile *profile, uint32_t process)
{
	return html_groups_by_name(profile) ?
		       profile->processes[process].command :
		       process;
}

size_t html_groups_count(const struct profile *profile)
{
	return html_groups_by_name(profile) ? profile->ncommands :
					      profile->nprocesses;
}

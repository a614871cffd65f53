/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells samples of waits from those of CPU time. */
#ifndef WAITS_H
#define WAITS_H

#include "profile/profile.h"

/* Whether samples count: those of waits, or else those of CPU time. */
static inline bool waits_count(const struct profile *profile, bool waits)
{
	return profile->shown == SHOW_WALL || (profile->shown == SHOW_WAITS) == waits;
}

/* Whether the samples of a stack, whose innermost node this is, count. */
bool waits_is_shown(const struct profile *profile, uint32_t node);

/*
 * After the selection: sums up the time of each kind, for the profile and its threads,
 * and the waits by system call. Then removes the stacks that do not count.
 */
void waits_finish(struct profile *profile);

#endif

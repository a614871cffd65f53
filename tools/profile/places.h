/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The places of a profile, made from its stacks. */
#ifndef PLACES_H
#define PLACES_H

#include "profile/profile.h"

/* After the last stack: sorts and merges stacks, and makes places. */
void places_finish(struct profile *profile);

/* After a change of the moments, which must have all samples: counts again. */
void places_count_moments(struct profile *profile);

typedef bool places_wanted(const struct profile *profile, const struct place *place,
			   const struct thread *thread, const void *context);
typedef void places_selector(struct profile *profile, places_wanted *wanted, bool keep,
			     const void *context);

/* Keeps only the stacks whose place is @wanted, or drops them, and counts again. */
places_selector places_select;

/*
 * The same with the stacks that have a wanted place anywhere, which may be a caller's.
 * @wanted gets neither the process nor the thread.
 */
places_selector places_select_stacks;

#endif

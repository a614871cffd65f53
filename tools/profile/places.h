/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The places of a profile, made from its stacks. */
#ifndef PLACES_H
#define PLACES_H

#include "profile/profile.h"

/* After the last stack: sorts and merges stacks, and makes places. */
void places_finish(struct profile *profile);

/* After a change of the moments, which must have all samples: counts again. */
void places_count_moments(struct profile *profile);

/* Keeps only the stacks whose place is @wanted, and counts again. */
typedef bool places_wanted(const struct profile *profile,
			   const struct place *place, const void *context);
void places_select(struct profile *profile, places_wanted *wanted,
		   const void *context);

/*
 * Keeps only the stacks with a wanted place, which may be a caller's. @wanted does not
 * get the process of the place.
 */
void places_select_stacks(struct profile *profile, places_wanted *wanted,
			  const void *context);

#endif

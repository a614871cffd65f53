/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The places of a profile, once all are known. */
#ifndef PLACES_H
#define PLACES_H

#include "profile/profile.h"

/* Adds what @place has to its object and its process, too. */
void places_add(struct profile *profile, const struct place *place);

/* After the last place and the last stack: sorts and merges them. */
void places_finish(struct profile *profile);

/* After a change of the stacks' moments, which have all samples: counts again. */
void places_count_moments(struct profile *profile);

/* Leaves the places, and stacks of them, that @wanted is true for; counts again. */
typedef bool places_wanted(const struct profile *profile,
			   const struct place *place, const void *context);
void places_select(struct profile *profile, places_wanted *wanted,
		   const void *context);

/*
 * Of a profile with stacks: leaves those in which @wanted is true of some place, be it
 * a caller's. The place's process is not told.
 */
void places_select_stacks(struct profile *profile, places_wanted *wanted,
			  const void *context);

#endif

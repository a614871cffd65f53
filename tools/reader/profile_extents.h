/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is there of a profile file that is mostly holes. */
#ifndef PROFILE_EXTENTS_H
#define PROFILE_EXTENTS_H

#include "reader/profile_file.h"

/*
 * A stretch of the file that has disk blocks, at or after *@from and before
 * @limit, which is not beyond the file's size. False: there is none.
 */
bool profile_extents_next(const struct profile_file *file, uint64_t limit,
			  uint64_t *from, uint64_t *to);

/* Where what is not 0 in a stretch of the file, holes included, ends; 0: all is 0. */
uint64_t profile_extents_used(const struct profile_file *file, uint64_t from,
			      uint64_t to);

/*
 * Where what is not 0 between @from and @limit ends; @from: all is 0. Blocks may
 * have been brought in for what never came, and holes may be between.
 */
uint64_t profile_extents_end(const struct profile_file *file, uint64_t from,
			     uint64_t limit);

#endif

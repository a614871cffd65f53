/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The used parts of a profile file, which is mostly holes. */
#ifndef PROFILE_EXTENTS_H
#define PROFILE_EXTENTS_H

#include "reader/profile_file.h"

/*
 * Finds the next part with disk blocks, from *@from on and before @limit, which is at
 * most the file's size. Returns false if there is none.
 */
bool profile_extents_next(const struct profile_file *file, uint64_t limit,
			  uint64_t *from, uint64_t *to);

/* The end of the last byte that is not 0 between @from and @to; 0 if all are 0. */
uint64_t profile_extents_used(const struct profile_file *file, uint64_t from,
			      uint64_t to);

/* The same, but fast over holes, and @from if all bytes are 0. */
uint64_t profile_extents_end(const struct profile_file *file, uint64_t from,
			     uint64_t limit);

#endif

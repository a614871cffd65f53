/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking from a profile file what is not used of it. */
#ifndef PROFILE_CUT_H
#define PROFILE_CUT_H

#include "reader/profile_file.h"

/*
 * Cuts a file that is not live, whose last sample ends at @end: what follows are
 * zeroes, or stacks, which are moved there if they can be. Its header in @file is
 * then what it is in the file. 0 or an errno; whatever has been done, the file
 * has the same samples and stacks as before.
 */
int profile_cut(struct profile_file *file, uint64_t end);

#endif

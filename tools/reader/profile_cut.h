/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes the unused space of a profile file. */
#ifndef PROFILE_CUT_H
#define PROFILE_CUT_H

#include "reader/profile_file.h"

/*
 * Cuts a file that is not live and whose last sample ends at @end. Moves the stacks
 * there if possible, and updates the header in @file. Returns 0 or an errno; the
 * file has the same samples and stacks in each case.
 */
int profile_cut(struct profile_file *file, uint64_t end);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes the unused space of a profile file. */
#ifndef PROFILE_CUT_H
#define PROFILE_CUT_H

#include "reader/profile_file.h"

/*
 * Replaces a file in @directory that is not live, and whose last sample ends at @end, by
 * one without unused space. Returns 0 or an errno; then the file is as it was.
 */
int profile_cut(int directory, const struct profile_file *file, uint64_t end);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From profile files to a profile. */
#ifndef LOAD_H
#define LOAD_H

#include "profile/profile.h"

/* Adds a file, or all files in a directory. False: nothing could be read. */
bool profile_load(struct profile *profile, const char *path);

#endif

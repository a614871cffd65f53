/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From profile files to a profile. */
#ifndef LOAD_PATH_H
#define LOAD_PATH_H

#include "profile/profile.h"

/* Adds a file, or all profiles in a directory. Returns false if none could be read. */
bool load_path(struct profile *profile, const char *path);

#endif

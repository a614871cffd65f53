/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From one profile file to a profile. */
#ifndef LOAD_FILE_H
#define LOAD_FILE_H

#include "profile/profile.h"

/* Adds the file. False, with a message: there is nothing to read in it. */
bool load_file(struct profile *profile, const char *path);

#endif

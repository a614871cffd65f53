/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens source files. The profiled program names them, which may be another user's. */
#ifndef SOURCE_FILE_H
#define SOURCE_FILE_H

#include <stdint.h>
#include <stdio.h>

/*
 * From now on, only files that @user can read, without its groups. Where another user than
 * this process's owns a profile, only files that the profile's owner can read. No other thread
 * may open files meanwhile: the rights of all threads change.
 */
void source_file_limit(uint32_t user);

/* Opens @path, which a profile of @owner names. Returns NULL if it cannot be read. */
FILE *source_file_open(const char *path, uint32_t owner);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stack stream of a profile file, as bytes. */
#ifndef PROFILE_STREAM_H
#define PROFILE_STREAM_H

#include "reader/profile_file.h"

/*
 * A copy of it, to be freed, with what follows it if it does not end with the
 * file. NULL: there is none.
 */
void *profile_stream_read(const struct profile_file *file, size_t *size);

#endif

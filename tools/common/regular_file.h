/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens files whose paths another user may have chosen. */
#ifndef REGULAR_FILE_H
#define REGULAR_FILE_H

#include <stdint.h>
#include <stdio.h>

/*
 * Opens @path for reading if it is a regular file, without waiting and without side
 * effects. Otherwise returns -1 and sets errno.
 */
int regular_file_open(const char *path);

/* The same as a stream, or NULL. */
FILE *regular_file_stream(const char *path);

/* The same, if the file belongs to @owner and is not a symbolic link. */
FILE *regular_file_stream_of(const char *path, uint32_t owner);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening files whose paths somebody else has chosen. */
#ifndef REGULAR_FILE_H
#define REGULAR_FILE_H

#include <stdint.h>
#include <stdio.h>

/*
 * Opens @path for reading if it is a regular file, without waiting for anything
 * and without changing anything by it; otherwise -1 and errno.
 */
int regular_file_open(const char *path);

/* The same as a stream, or NULL. */
FILE *regular_file_stream(const char *path);

/* Only if it is @owner's, and no symbolic link that somebody may have put there. */
FILE *regular_file_stream_of(const char *path, uint32_t owner);

#endif

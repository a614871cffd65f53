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

/*
 * The same for @path in the directory @root, which is the root also for symbolic links and
 * for "..". Needs Linux 5.6: else ENOSYS.
 */
int regular_file_open_in(int root, const char *path);

/* An open file as a stream; NULL for -1. */
FILE *regular_file_stream(int fd);

/* Opens @path as a stream; NULL if it does not belong to @owner, or is a symbolic link. */
FILE *regular_file_stream_of(const char *path, uint32_t owner);

#endif

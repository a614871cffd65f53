/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A new profile file. */
#ifndef PRELOAD_FILE_CREATE_H
#define PRELOAD_FILE_CREATE_H

#include "file.h"

/*
 * Makes directory/name.pid, with room for @capacity samples or, with 0, for
 * as many as there may be; with @stacks also for these, if there is any left.
 * Returns 0 or an errno.
 */
int file_create(struct file *file, const char *directory, const char *name,
		uint64_t capacity, bool stacks);

#endif

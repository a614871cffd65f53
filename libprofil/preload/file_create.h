/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a new profile file. */
#ifndef PRELOAD_FILE_CREATE_H
#define PRELOAD_FILE_CREATE_H

#include "file.h"

/*
 * Makes directory/name.pid, with room for @capacity samples (0: the maximum) and,
 * with @stacks, for stacks if the limits leave any; and reserves disk space for @log bytes of
 * the log, and some more. Returns 0 or an errno.
 */
int file_create(struct file *file, const char *directory, const char *name,
		uint64_t capacity, bool stacks, uint64_t log);

/*
 * The same for process @pid, with the file's @descriptor: the caller passes it on, and
 * closes it.
 */
int file_create_of(struct file *file, const char *directory, const char *name,
		   int pid, uint64_t capacity, bool stacks, uint64_t log, int *descriptor);

/* Removes and unmaps a file whose profile could not start. */
void file_create_undo(struct file *file);

#endif

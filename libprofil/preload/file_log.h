/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of the profile file: what happened to the process. */
#ifndef PRELOAD_FILE_LOG_H
#define PRELOAD_FILE_LOG_H

#include "file.h"

/* Has disk space for the first records of a new file, @fd; 0 or an errno. */
int file_log_reserve(struct file *file, int fd);

/* Appends a record whose payload is in two parts; the second may be empty. */
void file_log(struct file *file, uint32_t type, uint64_t sample,
	      const void *first, size_t first_size,
	      const void *second, size_t second_size);

/* Gives a fork child's file what its parent's says about objects. */
void file_log_copy(struct file *file, const struct file *from);

#endif

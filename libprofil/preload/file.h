/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The profile file of this process, mapped. */
#ifndef PRELOAD_FILE_H
#define PRELOAD_FILE_H

#include "profile_format.h"

#include <stdbool.h>
#include <stddef.h>

struct file {
	struct profile_header	*header;	/* NULL: there is none */
	char			*log;
	char			*samples;
	uint64_t		reserved;	/* bytes of the log with disk */
	char			path[4096];
};

/*
 * Makes directory/name.pid, with room for @capacity samples or, with 0, for
 * as many as there may be. Returns 0 or an errno.
 */
int file_create(struct file *file, const char *directory, const char *name,
		uint64_t capacity);

/* Unmaps what a fork child has of its parent's. */
void file_forget(struct file *file);

/* Appends a record whose payload is in two parts; the second may be empty. */
void file_log(struct file *file, uint32_t type, uint64_t sample,
	      const void *first, size_t first_size,
	      const void *second, size_t second_size);

/* Gives a fork child's file what its parent's says about objects. */
void file_copy_log(struct file *file, const struct file *from);

/* The last word of a program that calls exit(). */
void file_end(struct file *file);

/* The pc at @index; 0 if it waits for its page. */
uint64_t file_sample(const struct file *file, uint64_t index);

#endif

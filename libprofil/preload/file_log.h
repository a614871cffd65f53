/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of the profile file: records of events in the process. */
#ifndef PRELOAD_FILE_LOG_H
#define PRELOAD_FILE_LOG_H

#include "file.h"

/*
 * Reserves disk space for the first records of a new file, @fd: of @used bytes, and some more;
 * @used may be 0. 0 or an errno.
 */
int file_log_reserve(struct file *file, int fd, uint64_t used);

/*
 * Takes the turn to write, or to move the log. The thread cannot be cancelled until
 * file_log_end(). False: another one has had it for long, for example one that a signal
 * handler has interrupted here.
 */
bool file_log_begin(struct file *file, int *state);
void file_log_end(struct file *file, int state);

/* Appends a record with a payload in two parts; the second may be empty. */
void file_log(struct file *file, uint32_t type, uint64_t sample,
	      const void *first, size_t first_size,
	      const void *second, size_t second_size);

/* Appends the beginning of a phase, now: readers expect times in order. */
void file_log_phase(struct file *file, uint64_t sample, const char *name);

/*
 * Copies the @used bytes of its parent's @log into a fork child's file, which has reserved
 * room for them: of the phases, which may be many, the last one.
 */
void file_log_copy(struct file *file, const char *log, uint64_t used);

/* How many bytes that copies. */
uint64_t file_log_copied(const char *log, uint64_t used);

#endif

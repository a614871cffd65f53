/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which objects are in memory: written to the log as they come and go. */
#ifndef PRELOAD_OBJECTS_H
#define PRELOAD_OBJECTS_H

#include "file.h"

/*
 * Logs what has changed since the last call, as of sample @sample, and tells it
 * the kernel, if that makes stacks; @fd is the device, or -1. Returns at once if
 * another thread is at it: that one does it again.
 */
void objects_log_changes(struct file *file, uint64_t sample, int fd);

/* Tells the kernel again, if that makes stacks: of a new profile it knows nothing. */
void objects_tell_again(struct file *file);

/* In a fork child: the thread that was at it is not here. */
void objects_after_fork(void);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logs the objects in memory as they come and go. */
#ifndef PRELOAD_OBJECTS_H
#define PRELOAD_OBJECTS_H

#include "file.h"

/*
 * Logs the changes since the last call, as of sample @sample. If the file has stacks,
 * also gives the kernel the new table; @fd is the device, or -1. If another thread is
 * doing this, returns at once: that thread then repeats it.
 */
void objects_log_changes(struct file *file, uint64_t sample, int fd);

/* The same, if the kernel has refused the last table, or has none any more. */
void objects_tell_refused(struct file *file, uint64_t sample);

/*
 * The same in a fork child, without a look at the linker's list: the forking thread may hold
 * its lock, which the child then has for ever. The parent's table is the child's.
 */
void objects_tell_child(struct file *file);

/* The kernel's table ends with the page. The next profile is given it again. */
void objects_forget_table(void);

/* In a fork child: a thread that was doing this does not exist here. */
void objects_after_fork(void);

#endif

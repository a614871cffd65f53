/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The size of the profile file, and how much of it is mapped. */
#ifndef PRELOAD_FILE_ROOM_H
#define PRELOAD_FILE_ROOM_H

#include "file.h"

/*
 * What the process's limits leave of @capacity, or, with 0, of as many samples
 * as there may be; 0: no file.
 */
uint64_t file_room_allowed(uint64_t capacity);

/*
 * Gives a new file, @fd, its size, with room for @capacity samples or as many as
 * the file system and the address space take, and maps it. 0 or an errno.
 */
int file_room_make(struct file *file, int fd, uint64_t capacity);

/* All of these: while the sampler does not run, which may go on afterwards. */

/* For good, room for @room samples and no more. */
void file_room_limit(struct file *file, uint64_t room);

/* For a while, only that, and of the log only what has disk space. */
void file_room_fold(struct file *file, uint64_t room);

/*
 * Ends that: all of the file is mapped again, or as much as may be, perhaps at
 * other addresses, and none of it is locked.
 */
void file_room_unfold(struct file *file);

/* Whether new mappings are locked: mlockall(MCL_FUTURE) is in force. */
void file_room_expect_locking(bool locked);

/*
 * For a file that nobody will cut when the process has ended, which has
 * @samples: leaves room for what is still to be done in exit(), and no more.
 */
void file_room_trim(const struct file *file, uint64_t samples);

#endif

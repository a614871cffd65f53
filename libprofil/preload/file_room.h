/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The size of the profile file, and how much of it is mapped. */
#ifndef PRELOAD_FILE_ROOM_H
#define PRELOAD_FILE_ROOM_H

#include "file.h"
#include "file_size.h"

/*
 * Gives a new file, @fd, that size, or as much of it as the file system and the
 * address space take, and maps it. 0 or an errno.
 */
int file_room_make(struct file *file, int fd, struct file_size size);

/* All of these: while the sampler does not run, which may go on afterwards. */

/*
 * For good, no more room than a process may take that has a @limit, in bytes, of
 * its address space: but for at least @samples. Of stacks, of which there are
 * @stacks bytes, there are no more if that leaves nothing for others.
 */
void file_room_limit(struct file *file, uint64_t limit, uint64_t samples,
		     uint64_t stacks);

/*
 * No more stacks. If there have been none until now (@none), it is a file
 * without.
 */
void file_room_end_stacks(struct file *file, bool none);

/*
 * For a while, only that, none for stacks, and of the log only what has disk
 * space.
 */
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
 * @samples and @stacks, in bytes: leaves room for what is still to be done in
 * exit(), and no more. The samples' room stays where stacks follow.
 */
void file_room_trim(const struct file *file, uint64_t samples, uint64_t stacks);

#endif

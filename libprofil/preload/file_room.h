/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The size of the profile file and of its mapping. */
#ifndef PRELOAD_FILE_ROOM_H
#define PRELOAD_FILE_ROOM_H

#include "file.h"
#include "file_size.h"

/*
 * Gives a new file, @fd, this size, or less if file system or address space do not
 * take it, and maps it. 0 or an errno.
 */
int file_room_make(struct file *file, int fd, struct file_size size);

/* From now on fork children inherit header and log. False, with errno, if they cannot. */
bool file_room_share(struct file *file);

/* Call the functions below only while the sampler is stopped. */

/*
 * Shrinks the room for good, for an address space limited to @limit bytes. Room for
 * @samples stays. Stacks, of which there are @stacks bytes, end if too little room
 * would remain for more.
 */
void file_room_limit(struct file *file, uint64_t limit, uint64_t samples,
		     uint64_t stacks);

/*
 * Ends the stacks. If there have been none until now (@none), the file becomes one
 * without stacks.
 */
void file_room_end_stacks(struct file *file, bool none);

/* Samples during mlockall(): eight seconds of CPU time at 1000 a second. */
#define FILE_ROOM_MEANWHILE	8192

/*
 * Shrinks the mapping for a while: room for @room samples and no stacks, and the
 * part of the log that has disk space.
 */
void file_room_fold(struct file *file, uint64_t room);

/*
 * Maps all of the file again, or as much as possible, perhaps at other addresses.
 * None of it is locked.
 */
void file_room_unfold(struct file *file);

/* Tells whether mlockall(MCL_FUTURE) is in force, so that new mappings are locked. */
void file_room_expect_locking(bool locked);

#endif

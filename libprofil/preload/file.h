/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The profile file of this process, mapped. */
#ifndef PRELOAD_FILE_H
#define PRELOAD_FILE_H

#include <libprofil/profile_format.h>

#include <stdbool.h>
#include <stddef.h>

struct file {
	struct profile_header	*header;	/* NULL: there is none */
	char			*log;
	char			*samples;
	uint64_t		room;		/* samples that are mapped */
	uint64_t		reserved;	/* bytes of the log with disk */
	uint64_t		device, inode;	/* which file it is */
	char			path[4096];
};

/*
 * Makes directory/name.pid, with room for @capacity samples or, with 0, for
 * as many as there may be. Returns 0 or an errno.
 */
int file_create(struct file *file, const char *directory, const char *name,
		uint64_t capacity);

/*
 * The file itself, for reading and writing, and not what somebody has put in its
 * place; -1 and errno. Its @size may be more than what is mapped.
 */
int file_open(const struct file *file, uint64_t *size);

/* Unmaps what a fork child has of its parent's. */
void file_forget(struct file *file);

/*
 * Whether the mapping is still this process's own file: false in a child that
 * was made by a bare _fork() or clone(), and has its parent's header, and if
 * the program has unmapped it or mapped something else there.
 */
bool file_is_ours(const struct file *file);

/* Whether there is a file of this process's, or of the one that forked it. */
bool file_is_there(const struct file *file);

/* All of these: while the sampler does not run, which may go on afterwards. */

/* For good, room for @room samples and no more. */
void file_limit(struct file *file, uint64_t room);

/* For a while, only that, and of the log only what has disk space. */
void file_fold(struct file *file, uint64_t room);

/*
 * Ends that: all of the file is mapped again, or as much as may be, perhaps at
 * other addresses, and none of it is locked.
 */
void file_unfold(struct file *file);

/* Whether new mappings are locked: mlockall(MCL_FUTURE) is in force. */
void file_expect_locking(bool locked);

/* Appends a record whose payload is in two parts; the second may be empty. */
void file_log(struct file *file, uint32_t type, uint64_t sample,
	      const void *first, size_t first_size,
	      const void *second, size_t second_size);

/* Gives a fork child's file what its parent's says about objects. */
void file_copy_log(struct file *file, const struct file *from);

/* The last word of a program that calls exit(). */
void file_end(struct file *file);

/*
 * For a file that nobody will cut when the process has ended, which has
 * @samples: leaves room for what is still to be done in exit(), and no more.
 */
void file_trim(const struct file *file, uint64_t samples);

/*
 * Whether the page with sample @index can be read. Where no sample has come
 * yet, a full disk would make reading it a SIGBUS.
 */
bool file_has(const struct file *file, uint64_t index);

/* The pc at @index, which can be read; 0 if it is still to come. */
uint64_t file_sample(const struct file *file, uint64_t index);

#endif

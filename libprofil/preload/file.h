/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The profile file of this process, mapped. */
#ifndef PRELOAD_FILE_H
#define PRELOAD_FILE_H

#include <libprofil/profile_format.h>

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* In the file, and in memory as it is mapped. */
#define FILE_HEADER_BYTES	4096UL
#define FILE_LOG_BYTES		(4UL << 20)
#define FILE_SAMPLES_AT		(FILE_HEADER_BYTES + FILE_LOG_BYTES)

struct file {
	struct profile_header	*header;	/* NULL: there is none */
	char			*log;
	char			*samples;
	uint64_t		room;		/* samples that are mapped */
	char			*stacks;
	uint64_t		stacks_room;	/* bytes that are mapped; 0: none */
	uint64_t		reserved;	/* bytes of the log with disk */
	uint64_t		device, inode;	/* which file it is */
	char			path[4096];
};

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

uint64_t file_now_ns(clockid_t clock);

/* The last word of a program that calls exit(). */
void file_end(struct file *file);

/*
 * Whether the page with sample @index can be read. Where no sample has come
 * yet, a full disk would make reading it a SIGBUS.
 */
bool file_has(const struct file *file, uint64_t index);

/* The pc at @index, which can be read; 0 if it is still to come. */
uint64_t file_sample(const struct file *file, uint64_t index);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The profile file of this process, mapped. */
#ifndef PRELOAD_FILE_H
#define PRELOAD_FILE_H

#include <libprofil/profile_format.h>

#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/*
 * Offsets and sizes in the file, and in its mapping. A short log is in the header's page:
 * each page takes a process that ends soon 10,000 instructions. The first samples are near
 * enough to it to be in the same page table, which takes 7,000 less than another one.
 */
#define FILE_LOG_AT		sizeof(struct profile_header)
#define FILE_SAMPLES_AT		(1UL << 20)
#define FILE_LOG_BYTES		(FILE_SAMPLES_AT - FILE_LOG_AT)

struct file {
	struct profile_header	*header;	/* NULL: no file */
	pid_t			pid;		/* whose it is */
	char			*log;
	uint64_t		log_room;	/* bytes that are mapped */
	bool			shared;		/* fork children inherit header and log */
	char			*samples;
	uint64_t		room;		/* samples that are mapped */
	char			*stacks;
	uint64_t		stacks_room;	/* bytes that are mapped; 0: none */
	uint64_t		reserved;	/* bytes of the log with disk space */
	uint64_t		device, inode;	/* identity of the file */
	bool			sparse;		/* its file system has holes */
	atomic_flag		writing;	/* a thread writes the log, or changes its room */
	_Atomic uintptr_t	changing;	/* the thread that changes the rest; 0: none */
	char			path[4096 + 4096];	/* and file_spare() */
};

/*
 * Opens the file for reading and writing. Returns a descriptor, or -1 with errno:
 * ESTALE if another file has taken its place. @size is the file's and may exceed
 * the mapping.
 */
int file_open(const struct file *file, uint64_t *size);

/*
 * PATH_MAX bytes for another path, behind the file's: in a page that is written anyway. Stacks
 * may be small. One thread at a time may use it.
 */
char *file_spare(struct file *file);

/* Unmaps header and log. A fork child inherits at most these parts of its parent's file. */
void file_unmap(struct profile_header *header);

/*
 * Whether the mapping is still this process's own file. False in a child of a bare
 * clone(), which has its parent's header, and if the program has unmapped the file
 * or mapped something else there.
 */
bool file_is_ours(const struct file *file);

/* Whether the file of this process, or of its parent, is mapped. */
bool file_is_there(const struct file *file);

/* 0: there is no such clock, as that of a process that has ended. */
uint64_t file_now_ns(clockid_t clock);

/* Marks the file of a program that called exit(). @monotonic_ns: its CLOCK_MONOTONIC now. */
void file_end(struct file *file, uint64_t monotonic_ns);

/*
 * Whether the page with sample @index can be read. On a full disk, reading a page
 * without samples would raise SIGBUS.
 */
bool file_has(const struct file *file, uint64_t index);

/* The pc at @index, which must be readable; 0: not written yet. */
uint64_t file_sample(const struct file *file, uint64_t index);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading one profile file, whatever state it is in. */
#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

#include <libprofil/profile_format.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_file {
	const char		*path;
	int			fd;
	bool			writable;
	uint64_t		size;
	uint32_t		owner;	/* its user */
	struct profile_header	header;
	char			*log;
	uint64_t		log_bytes;
};

/*
 * Opens @path. False, with a message, if there is nothing to read in it. A
 * file that is damaged further on is open, after a warning.
 */
bool profile_file_open(struct profile_file *file, const char *path);

/*
 * The same for @path in @directory, a descriptor or AT_FDCWD: without the log,
 * for writing if that may be, and without a word about what is no such file.
 */
bool profile_file_peek(struct profile_file *file, int directory,
		       const char *path);

/* Reads up to @size bytes; how many there were. */
size_t profile_file_read(const struct profile_file *file, void *buffer,
			 size_t size, uint64_t offset);

/* The header of an open file, if it is one. */
bool profile_file_look(struct profile_file *file);
void profile_file_close(struct profile_file *file);

/*
 * The record after @record, or the first one for NULL; NULL after the last one
 * that is whole. Every record has at least the size of what its type needs,
 * and strings in it are terminated.
 */
const struct profile_record *
profile_file_record(const struct profile_file *file,
		    const struct profile_record *record);

/*
 * Whether there still is memory that the file is mapped into. Its library holds
 * a lock on it, which goes with the mapping, whatever ends the process.
 */
bool profile_file_is_live(const struct profile_file *file);

/* Tells the process of a live file to cut it in exit(). */
void profile_file_leave(const struct profile_file *file);

#endif

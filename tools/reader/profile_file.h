/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a profile file, also a damaged or incomplete one. */
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
	uint32_t		mode;	/* its permissions, and S_IFREG */
	struct profile_header	header;
	char			*log;
	uint64_t		log_bytes;
};

/*
 * Opens @path. Returns false, after a message, if nothing in it can be read. If only
 * a part is damaged, warns and opens the file.
 */
bool profile_file_open(struct profile_file *file, const char *path);

/*
 * The same for @path in @directory, a descriptor or AT_FDCWD. Opens the file for
 * writing if possible, reads no log, and prints no message.
 */
bool profile_file_peek(struct profile_file *file, int directory,
		       const char *path);

/*
 * Reads header and log of an open file again: a process writes to it. Records that were
 * found before are gone. Returns false, after a message, if they cannot be read any more.
 */
bool profile_file_reload(struct profile_file *file);

/* Reads up to @size bytes, and returns how many were there. */
size_t profile_file_read(const struct profile_file *file, void *buffer,
			 size_t size, uint64_t offset);

/* Reads the header of an open file. Returns false if it is not a profile. */
bool profile_file_look(struct profile_file *file);
void profile_file_close(struct profile_file *file);

/* Bytes of the log that are there. */
uint64_t profile_file_log_size(const struct profile_file *file);

/*
 * The record after @record, or the first one for NULL; NULL after the last complete
 * one. Each record is as large as its type needs, and its string is terminated.
 */
const struct profile_record *
profile_file_record(const struct profile_file *file,
		    const struct profile_record *record);

/*
 * Whether a process still has the file mapped. The preload library holds a lock on
 * the file, which lasts as long as the mapping.
 */
bool profile_file_is_live(const struct profile_file *file);

/* Whether the file has no unused space any more. */
bool profile_file_is_cut(const struct profile_file *file);

/* Tells the process of a live file to cut it in exit(). */
void profile_file_leave(const struct profile_file *file);

#endif

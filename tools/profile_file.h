/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading one profile file, whatever state it is in. */
#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

#include "profile_format.h"

#include <stdbool.h>
#include <stdint.h>

struct profile_file {
	const char		*path;
	int			fd;
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
 * The same without the log and the size, and without a word about what is no
 * such file.
 */
bool profile_file_peek(struct profile_file *file, const char *path);
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
 * Calls @visit with each stretch of samples in order: pcs, their number and
 * the index of the first. Pcs of 0 are ticks whose sample never arrived.
 */
typedef void profile_visit(void *context, const uint64_t *pcs, uint64_t n,
			   uint64_t first);
void profile_file_samples(const struct profile_file *file, profile_visit *visit,
			  void *context);

/* The size of the file without the holes at its end; 0: it has no samples. */
uint64_t profile_file_data_end(const struct profile_file *file);

#endif

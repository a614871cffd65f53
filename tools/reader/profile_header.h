/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a profile file says of itself, held against what can be. */
#ifndef PROFILE_HEADER_H
#define PROFILE_HEADER_H

#include <libprofil/profile_format.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * The header of @path, a file of @size bytes. False, with a message: there is
 * nothing to read in the file. What is damaged in it is mended, with a warning.
 */
bool profile_header_check(struct profile_header *header, const char *path,
			  uint64_t size);

/* The same without a word, for whether the file is a profile at all. */
bool profile_header_look(struct profile_header *header);

#endif

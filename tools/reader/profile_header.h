/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the header of a profile file. */
#ifndef PROFILE_HEADER_H
#define PROFILE_HEADER_H

#include <libprofil/profile_format.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * Checks the header of @path, a file of @size bytes. Returns false, after a message,
 * if nothing in the file can be read. Repairs what is damaged, after a warning.
 */
bool profile_header_check(struct profile_header *header, const char *path,
			  uint64_t size);

/* The same without messages: whether the file is a profile. */
bool profile_header_look(struct profile_header *header);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stack stream of a profile file, as bytes. */
#ifndef PROFILE_STREAM_H
#define PROFILE_STREAM_H

#include "reader/profile_file.h"

/*
 * A copy of the stream, which the caller frees; NULL if there is none. More bytes
 * may follow the stream in the copy.
 */
void *profile_stream_read(const struct profile_file *file, size_t *size);

/* Reads up to @size bytes of it from @from on, and returns how many there is room for. */
size_t profile_stream_part(const struct profile_file *file, void *buffer, size_t size,
			   uint64_t from);

/* Whether there are records: those of waits have no samples in the array. */
bool profile_stream_any(const struct profile_file *file);

#endif

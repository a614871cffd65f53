/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples of a profile file. */
#ifndef PROFILE_SAMPLES_H
#define PROFILE_SAMPLES_H

#include "reader/profile_file.h"

/*
 * Calls @visit with the samples, in order and without the holes: PCs, their number,
 * and the index of the first. A PC of 0 is a lost tick.
 */
typedef void profile_samples_visitor(void *context, const uint64_t *pcs,
				     uint64_t n, uint64_t first);
void profile_samples_visit(const struct profile_file *file,
			   profile_samples_visitor *visit, void *context);

/* Reads up to @n samples from number @index on, and returns how many there is room for. */
size_t profile_samples_read(const struct profile_file *file, uint64_t *pcs, size_t n,
			    uint64_t index);

/* The offset in the file where the last sample ends; 0 if unknown. */
uint64_t profile_samples_end(const struct profile_file *file);

#endif

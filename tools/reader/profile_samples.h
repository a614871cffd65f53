/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples of a profile file, which may have holes, and what is behind them. */
#ifndef PROFILE_SAMPLES_H
#define PROFILE_SAMPLES_H

#include "reader/profile_file.h"

/*
 * Calls @visit with each stretch of samples in order: pcs, their number and
 * the index of the first. Pcs of 0 are ticks whose sample never arrived.
 */
typedef void profile_samples_visitor(void *context, const uint64_t *pcs,
				     uint64_t n, uint64_t first);
void profile_samples_visit(const struct profile_file *file,
			   profile_samples_visitor *visit, void *context);

/* Where the last sample ends, from the start of the file; 0: cannot tell. */
uint64_t profile_samples_end(const struct profile_file *file);

#endif

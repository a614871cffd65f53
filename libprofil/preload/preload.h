/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The profile of this process, for those parts that take calls over. */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

#include "file.h"
#include "sampler.h"

#define EXPORT __attribute__((visibility("default")))

struct preload {
	struct file	file;
	struct sampler	sampler;
	int		error;	/* errno of the device; 0: it works */
};

extern struct preload preload;

/* The definition after ours in the search order: libc's. */
void *preload_next(const char *symbol);

/*
 * Starts the sample array again, after something else had the profile: the
 * samples go on where they were.
 */
void preload_resume(void);

#endif

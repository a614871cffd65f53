/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory that the files of one run go to. */
#ifndef DIRECTORY_H
#define DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes it, or removes the profiles of an earlier run from it. 0 or an errno;
 * EREMOTE: it is where the kernel stores no samples.
 */
int directory_make(const char *path);

struct directory_files {
	uint64_t	files;
	bool		samples;	/* at least one */
	bool		faulted;	/* one that could not be written to */
};

/*
 * Cuts the files of ended processes down to what is in them, and brings what
 * they say about their own code along.
 */
struct directory_files directory_finish(const char *path);

#endif

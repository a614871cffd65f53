/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory that the files of one run go to. */
#ifndef PROFILE_DIRECTORY_H
#define PROFILE_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

/* As long as @fd is open nobody else removes anything. */
struct profile_directory {
	int	fd;
	bool	shared;		/* another command is profiled into it, too */
};

/*
 * Makes it, or removes the profiles of an earlier run from it if it is not
 * shared. 0 or an errno; EREMOTE: it is where the kernel stores no samples.
 */
int profile_directory_make(struct profile_directory *directory,
			   const char *path);

struct profile_directory_files {
	uint64_t	files;
	uint64_t	samples;
	uint64_t	ns;		/* of CPU time that they stand for */
	bool		faulted;	/* one that could not be written to */
};

/*
 * Cuts the files that nothing writes to any more down to what is in them, and
 * brings what processes say about their own code along.
 */
struct profile_directory_files profile_directory_finish(const char *path);

#endif

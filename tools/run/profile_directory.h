/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory with the profile files of a run. */
#ifndef PROFILE_DIRECTORY_H
#define PROFILE_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

/* As long as @fd is open, no other profil removes files from it. */
struct profile_directory {
	int	fd;
	bool	shared;		/* another profil uses it, too */
};

/*
 * Creates the directory, or puts old profiles aside if it is not shared. Returns 0 or an
 * errno; EREMOTE if the module does not write to its file system, ENOTEMPTY if the
 * directory has other files and no profile, EBUSY for /tmp.
 */
int profile_directory_make(struct profile_directory *directory,
			   const char *path);

struct profile_directory_files {
	uint64_t	files;
	uint64_t	samples;
	bool		stacks;		/* perhaps of waits only */
	uint64_t	ns;		/* CPU time of the samples */
	bool		faulted;	/* a file could not be written */
	bool		unprofiled;	/* a process has no file or no profile */
	bool		live;		/* a process still writes to a file */
	unsigned int	looked;		/* profiles whose maps of generated code were looked for */
	bool		no_maps;	/* there are none */
	bool		restored;	/* the previous profile came back */
};

/*
 * Cuts each file that no process writes to any more to the size of its contents,
 * copies the maps of generated code from /tmp, and settles the previous profile.
 */
struct profile_directory_files profile_directory_finish(const char *path);

#endif

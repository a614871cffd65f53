/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The profile of a run, while it grows: the files in its directory. */
#ifndef LIVE_PROFILE_H
#define LIVE_PROFILE_H

#include "top/live_file.h"

struct live_profile {
	const char	*directory;
	uint32_t	run;		/* pid of the profil that makes the files */
	struct counts	counts;
	struct live_file **files;	/* that may grow */
	size_t		nfiles, files_room;
	char		**seen;		/* names of files that need no other look */
	size_t		nseen, seen_room;
	struct hash_set	seen_set;
};

/* Counts what is new in all files, and ends an interval. */
void live_profile_read(struct live_profile *live);
void live_profile_free(struct live_profile *live);

#endif

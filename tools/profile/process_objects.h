/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects in the memory of a file's process, while its log is read. */
#ifndef PROCESS_OBJECTS_H
#define PROCESS_OBJECTS_H

#include "profile/later_objects.h"
#include "profile/profile.h"
#include "profile/segments.h"
#include "reader/profile_file.h"

struct process_objects {
	struct profile		*profile;
	const struct profile_file *file;
	char			*directory;	/* of the file */
	const struct kept_names	*names;		/* of the directory */
	const struct profile_record *next;	/* not yet applied */
	struct segments		segments;
	uint64_t		applied;	/* records of the log */
	uint64_t		changes;	/* counts changes of the segments */
	int64_t			unknown;	/* object for unknown code, or -1 */
	struct later_objects	*later;		/* made at first use */
};

/* Begins before the first record of @file's log. */
void process_objects_begin(struct process_objects *objects,
			   struct profile *profile,
			   const struct profile_file *file);

/* The sample of the next record; UINT64_MAX if there is none. */
uint64_t process_objects_next(const struct process_objects *objects);

/* Applies that record. */
void process_objects_apply(struct process_objects *objects);

/* After a reload of the file: goes on behind the records that were applied. */
void process_objects_reload(struct process_objects *objects);

/* Sets object and address of @place for @pc. */
void process_objects_find(struct process_objects *objects, uint64_t pc,
			  struct place *place);

void process_objects_end(struct process_objects *objects);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is in the memory of a file's process, as its log is gone through. */
#ifndef PROCESS_OBJECTS_H
#define PROCESS_OBJECTS_H

#include "profile/later_objects.h"
#include "profile/profile.h"
#include "profile/segments.h"
#include "reader/profile_file.h"

struct process_objects {
	struct profile		*profile;
	const struct profile_file *file;
	char			*directory;	/* that the file is in */
	const struct profile_record *next;	/* not yet applied */
	struct segments		segments;
	uint64_t		changes;	/* that there have been */
	int64_t			unknown;	/* object of unknown code, or -1 */
	struct later_objects	*later;		/* made when it is needed */
};

/* At the begin of @file's log, before its first record. */
void process_objects_begin(struct process_objects *objects,
			   struct profile *profile,
			   const struct profile_file *file);

/* The sample that the next record of the log belongs to; UINT64_MAX: none. */
uint64_t process_objects_next(const struct process_objects *objects);

/* Applies that record. */
void process_objects_apply(struct process_objects *objects);

/* Object and address of @pc; the rest of the place is left as it is. */
void process_objects_find(struct process_objects *objects, uint64_t pc,
			  struct place *place);

void process_objects_end(struct process_objects *objects);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the process does for its profile: it maps the file, and asks the module to start,
 * to take another table of objects, and to stop.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include "attach/frame_index.h"
#include "attach/handover.h"
#include "attach/target.h"
#include "libprofil/preload/file.h"

#include <linux/profil.h>

/* In memory that profil shares with the process in which it traces. */
struct recording {
	const struct target	*target;
	const struct file	*file;		/* as profil has mapped it */
	struct handover		own;
	struct frame_index	index;		/* of the program, if it needs one */
	uint32_t		rate;		/* wanted; then the one that was granted */
	bool			stacks;		/* likewise */
	bool			waits;		/* wanted, if there are stacks */
	uint32_t		nobjects;	/* of the table in the file */
	bool			no_room;	/* the file is too large for the process */

	unsigned long		map;		/* where the process has the file */
	unsigned long		page;		/* and the status page */
	struct profil_samples	samples;	/* the request that started it */
	struct profil_status	last;		/* its counts at the end */
	bool			replaced;	/* the program started another profile */
};

/* Where in the file the log is: the first page has memory for calls, too. */
#define RECORDING_LOG_AT	4096UL
/* Where in the file the table of objects is, for the ioctl: at the end of the log. */
#define RECORDING_TABLE_BYTES	(PROFIL_OBJECTS_MAX * sizeof(struct profil_object))
#define RECORDING_TABLE_AT	(FILE_SAMPLES_AT - RECORDING_TABLE_BYTES)

/* All of them run in a process of their own. False after a message. */
bool recording_start(struct recording *recording);
bool recording_update(struct recording *recording);
bool recording_stop(struct recording *recording);

/* Runs one of them there. False if it fails. */
bool recording_run(bool (*function)(struct recording *recording),
		   struct recording *recording);

/* Runs recording_start() here: @held is a thread that this process has stopped. */
bool recording_start_held(struct recording *recording, const struct thread *held);

/* Bytes of the mapping. */
size_t recording_bytes(const struct file *file);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A profile file that a process writes to: each read takes only what is new. */
#ifndef LIVE_FILE_H
#define LIVE_FILE_H

#include "profile/process_objects.h"
#include "reader/profile_file.h"
#include "top/counts.h"

struct live_file {
	struct counts		*counts;
	char			*path;
	struct profile_file	file;
	struct process_objects	objects;
	struct profil_stacks	*stacks;
	uint64_t		samples;	/* that were taken */
	uint64_t		stack_bytes;	/* the same */
	bool			damaged;	/* the rest of the stacks */
	uint32_t		process;	/* of the counts */
};

/* The file at @path, or NULL after a message. */
struct live_file *live_file_open(const char *path, struct counts *counts);

/* Counts what is new. Returns false if there will be no more. */
bool live_file_read(struct live_file *live);

void live_file_close(struct live_file *live);

#endif

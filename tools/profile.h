/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What one or more profile files say together: how many samples each place of
 * each object has.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include "profile_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A file that was mapped as program or library. Code that is in no object is
 * in one with the path [unknown], at its run-time address, one for each
 * process.
 */
struct object {
	char		*path;
	const char	*name;		/* the last part of the path */
	uint8_t		build_id[PROFILE_BUILD_ID_MAX];
	uint32_t	build_id_size;
	uint32_t	pid;		/* of code in no object; otherwise 0 */
	uint64_t	samples;
	uint64_t	low, high;	/* addresses that were executable */
	uint64_t	offset;		/* in the file, of low */
	struct symbols	*symbols;	/* symbols.c's */
};

/* Samples at one address of one object, in programs of one name. */
struct place {
	uint32_t	object;
	uint32_t	command;
	uint64_t	address;	/* as in the object's file */
	uint64_t	samples;
	uint64_t	ns;		/* of CPU time */
};

struct profile {
	struct object	*objects;
	size_t		nobjects, objects_room;
	char		**commands;
	size_t		ncommands, commands_room;
	struct place	*places;	/* by object, address, command */
	size_t		nplaces, places_room;
	uint64_t	samples;
	uint64_t	ns;
	uint64_t	period_ns;	/* of the first file */
	uint32_t	rate;
	bool		mixed;		/* files have different periods */
	uint64_t	started_ns;	/* the earliest */
	uint64_t	files;
	uint64_t	lost;		/* ticks known to be lost */
	uint64_t	unended;	/* files without accounting */
	uint64_t	unprofiled;	/* forks without a file */
	uint64_t	full;		/* files that had no room, */
	uint64_t	faulted;	/* or no disk */
	uint64_t	taken;		/* programs that profiled themselves */
};

/* Adds a file, or all files in a directory. False: nothing could be read. */
bool profile_add(struct profile *profile, const char *path);

/* After the last one: sorts and merges the places. */
void profile_finish(struct profile *profile);
void profile_free(struct profile *profile);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What one or more profile files say together: how many samples each place of
 * each object has.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include "common/hash_set.h"
#include "profile/stacks.h"

#include <libprofil/profile_format.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A file that was mapped as program or library. Code that is in no object is
 * in one with the path [unknown], at its run-time address, one for each
 * process. In the stacks, there is an object [kernel] as well: it has no samples
 * of its own, but is where places of KERNEL_FAULT and so on are.
 */
struct object {
	char		*path;		/* as it is, for opening */
	char		*shown;		/* the same for people */
	const char	*name;		/* the last part of that */
	uint8_t		build_id[PROFILE_BUILD_ID_MAX];
	uint32_t	build_id_size;
	uint32_t	pid;		/* of code in no object; otherwise 0 */
	uint32_t	owner;		/* user whose profile it is in */
	uint32_t	kernel;		/* the kernel, for callers of 64 or 32 bits; or 0 */
	char		*directory;	/* the same, for code in no object, or NULL */
	uint64_t	samples;
	uint64_t	low, high;	/* addresses that were executable */
	uint64_t	offset;		/* in the file, of low */
	struct symbols	*symbols;	/* symbols.c's */
};

/* One program in one process, as one file has it. */
struct process {
	uint32_t	command;
	uint32_t	pid;
	uint32_t	parent;		/* that forked it; 0: it was started */
	uint64_t	started_ns;	/* since 1970 */
	uint64_t	ended_ns;	/* 0: not known */
	uint64_t	period_ns;	/* of CPU time, that a sample stands for */
	uint64_t	samples;
	uint64_t	ns;		/* of CPU time */
	char		*arguments;	/* the command line, or NULL */
	char		*host;		/* or NULL */
};

/* Addresses in [kernel]: what is no system call, and system call @number. */
#define KERNEL_FAULT		0
#define KERNEL_CALL(number)	((uint64_t)(number) + 1)

/* Samples at one address of one object, in one process. */
struct place {
	uint32_t	object;
	uint32_t	process;
	uint64_t	address;	/* as in the object's file */
	uint64_t	samples;
	uint64_t	ns;		/* of CPU time */
};

struct profile {
	struct object	*objects;
	size_t		nobjects, objects_room;
	struct hash_set	object_set;	/* profile.c's */
	char		**commands;	/* names of processes, each once */
	size_t		ncommands, commands_room;
	struct process	*processes;
	size_t		nprocesses, processes_room;
	struct place	*places;	/* by object, address, process */
	size_t		nplaces, places_room;
	struct stacks	stacks;		/* if profile_has_stacks() */
	uint64_t	samples;
	uint64_t	ns;
	uint64_t	all_samples;	/* before some were selected */
	uint64_t	period_ns;	/* of the first file */
	uint32_t	rate;
	bool		mixed;		/* files have different periods */
	uint64_t	lost;		/* ticks known to be lost */
	uint64_t	running;	/* files that are still written to */
	uint64_t	unprofiled;	/* forks without a file */
	uint64_t	full;		/* files that had no room, */
	uint64_t	faulted;	/* or no disk */
	uint64_t	taken;		/* programs that profiled themselves */
};

/* The object that is like @object, whose texts are copied if it is new. */
uint32_t profile_find_object(struct profile *profile,
			     const struct object *object);

/* The command of that name, which is taken over. */
uint32_t profile_find_command(struct profile *profile, char *name);

/* Whether some file has stacks: then all samples are in the stacks, too. */
bool profile_has_stacks(const struct profile *profile);

/* The name of the process that a place is in. */
const char *profile_command(const struct profile *profile,
			    const struct place *place);

/* What was started first; NULL: no file was read. */
const struct process *profile_first(const struct profile *profile);

/*
 * Time from the first start to the last end, in ns; 0: it is not known, as the
 * first process has not said when it ended.
 */
uint64_t profile_wall(const struct profile *profile);

/* Samples a second, rounded. */
uint64_t profile_rate(const struct profile *profile);
void profile_free(struct profile *profile);

#endif

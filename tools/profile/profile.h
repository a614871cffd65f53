/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A profile: the sum of one or more profile files. */
#ifndef PROFILE_H
#define PROFILE_H

#include "common/hash_set.h"
#include "profile/kept_names.h"
#include "profile/stacks.h"

#include <libprofil/profile_format.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A program or library. Code in no file belongs to an object [unknown] of its process,
 * at its run-time address. In stacks, there is also an object [kernel] with the
 * addresses KERNEL_FAULT and KERNEL_CALL(). Its samples count for the caller's place. So
 * do those of [waiting], which has the same addresses, and of [runnable], which has 0.
 * Address 0 of MORE_CALLERS stands for the outermost frames of a stack that has too many.
 */
#define MORE_CALLERS	"[more callers]"


struct object {
	char		*path;		/* for opening */
	char		*shown;		/* for printing */
	const char	*name;		/* last part of shown */
	uint8_t		build_id[PROFILE_BUILD_ID_MAX];
	uint32_t	build_id_size;
	uint32_t	pid;		/* of code in no file; else 0 */
	uint32_t	process;	/* the first with it, which may still run */
	uint32_t	owner;		/* the user who owns the profile */
	uint32_t	kernel;		/* 64 or 32: [kernel] for such callers; else 0 */
	enum stack_kind	kind;		/* of the samples in it */
	char		*directory;	/* of the profile, for code in no file; else NULL */
	bool		finished;	/* profil has looked for its map when the process ended */
	uint64_t	samples;
	uint64_t	low, high;	/* executable addresses */
	uint64_t	offset;		/* of low in the file */
	struct kept_object *kept;	/* its names in the profile, or NULL */
	struct symbols	*symbols;	/* symbols.c's */
};

#define PHASE_NONE	UINT32_MAX

/* From its start to that of the next one. */
struct phase {
	uint64_t	start_ns;	/* since 1970 */
	uint32_t	name;		/* of the profile, or PHASE_NONE */
};

/* One program in one process: one profile file. */
struct process {
	uint32_t	command;
	uint32_t	pid;
	uint32_t	run;		/* the profil that ran it; 0: unknown */
	uint64_t	directory;	/* inode of the file's directory */
	uint64_t	rotated;	/* that of the directory above, of --rotate; 0: none */
	uint64_t	started_ns;	/* since 1970 */
	uint64_t	ended_ns;	/* 0: unknown */
	uint64_t	seen_ns;	/* the last stack, likewise; 0: none */
	uint64_t	period_ns;	/* time of a sample; in a file, 0: unknown */
	uint32_t	rate;
	uint64_t	samples;
	uint64_t	ns;		/* their time */
	char		*arguments;	/* the command line, or NULL */
	char		*host;		/* or NULL */
	struct phase	*phases;	/* in order */
	size_t		nphases;
};

/* Addresses in [kernel]: interrupts and faults; system call @number. */
#define KERNEL_FAULT		0
#define KERNEL_CALL(number)	((uint64_t)(number) + 1)

/* Samples at one address of one object, in one process. */
struct place {
	uint32_t	object;
	uint32_t	process;
	uint64_t	address;	/* as in the object's file */
	uint64_t	samples;
	uint64_t	ns;		/* their time */
};

/* A directory with profile files. */
struct directory {
	char		*path;		/* ends with a slash */
	struct kept_names *names;
};

/* Which samples count: those of CPU time, all, or those of waits. */
enum profile_shown { SHOW_CPU, SHOW_WALL, SHOW_WAITS };

struct profile {
	struct directory *directories;
	size_t		ndirectories, directories_room;
	struct object	*objects;
	size_t		nobjects, objects_room;
	struct hash_set	object_set;	/* profile.c's */
	char		**commands;	/* unique names of processes */
	size_t		ncommands, commands_room;
	struct hash_set	phase_set;	/* process_phases.c's */
	char		**phase_names;	/* unique */
	size_t		nphase_names, phase_names_room;
	struct process	*processes;
	size_t		nprocesses, processes_room;
	struct place	*places;	/* by object, address, process */
	size_t		nplaces;
	struct stacks	stacks;		/* of all samples */
	enum profile_shown shown;
	bool		has_waits;
	bool		with_callers;	/* places have the samples of calls from them, too */
	struct place	*waits;		/* most time first; waits.c's */
	size_t		nwaits, waits_room;
	uint64_t	kind_ns[KINDS];	/* the same */
	uint64_t	samples;
	uint64_t	ns;
	uint64_t	all_samples;	/* before the selection */
	uint32_t	withheld;	/* permissions that not all files give */
	uint64_t	period_ns;	/* of the first process with samples */
	uint32_t	rate;
	unsigned int	runs;		/* different profils or hosts; at least 1 */
	bool		mixed;		/* processes with samples have different periods */
	uint64_t	lost;		/* lost ticks */
	uint64_t	waits_lost;	/* lost samples of waits */
	uint64_t	running;	/* files of running processes */
	uint64_t	unprofiled;	/* forks without a profile, */
	uint64_t	refused;	/* and those of them that the kernel refused one */
	uint32_t	start_error;	/* why, for one of these; 0: unknown */
	uint32_t	file_error;	/* the same for one that got no file */
	uint64_t	full;		/* files whose room ran out, */
	uint64_t	denied;		/* or whose profile could not go on */
	uint64_t	faulted;	/* or that could not be written */
	uint64_t	taken;		/* profiles that programs started themselves */
};

/* The names that were kept in directory @path. */
const struct kept_names *profile_names(struct profile *profile, const char *path);

/* The number of an object equal to @object. A new one copies its strings. */
uint32_t profile_find_object(struct profile *profile,
			     const struct object *object);

/* The number of the command @name. Takes @name over. */
uint32_t profile_find_command(struct profile *profile, char *name);

/* The name of a place's process. */
const char *profile_command(const struct profile *profile,
			    const struct place *place);

/* The process that started first; NULL if there is none. */
const struct process *profile_first(const struct profile *profile);

/*
 * Time from the first start to the last end, in ns. 0 if the end of the first process
 * is unknown, if a process still runs or has run longer than all whose end is known, or
 * if there were several runs: of different profils, or with a time without a process
 * between them.
 */
uint64_t profile_wall(const struct profile *profile);

/* Samples per second, rounded. */
uint64_t profile_rate(const struct profile *profile);
void profile_free(struct profile *profile);

#endif

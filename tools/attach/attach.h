/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profil -p: the profile of a process that runs already. */
#ifndef ATTACH_H
#define ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Registers are set, so it is for one machine. */
#ifdef __x86_64__
#define ATTACH_WORKS	1
#else
#define ATTACH_WORKS	0
#endif

struct thread;

struct attach {
	pid_t		pid;
	pid_t		run;		/* of profil: see struct profile_header */
	const struct thread *held;	/* of the process, stopped at its exec; or NULL */
	bool		followed;	/* the next program has a profile, too */
	const char	*directory;	/* of the profile */
	int		device;		/* /dev/profil */
	uint32_t	rate;		/* enum profil_rate */
	uint64_t	samples;	/* room for them; 0: the maximum */
	bool		stacks;
	bool		waits;		/* with stacks */
	double		seconds;	/* how long; 0: until it ends, or profil is told to */
	bool		quiet;
};

/* What the report needs to know of the process. */
struct attached {
	char		*name;
	char		*tmp;		/* its /tmp */
	unsigned int	pid;		/* that it knows itself */
	uid_t		owner;
	char		*root;		/* where its paths begin, if not at our root; else NULL */
	uint64_t	cpu_ns;		/* its CPU time meanwhile */
	bool		replaced;	/* it has executed another program */
};

/* Opens the process. If it cannot be profiled, ends with a message that says why. */
void attach_check(pid_t pid);

/* Leaves it to other processes of profil. Returns its owner and root. */
struct attached attach_leave(void);

/* Profiles it. If that fails, ends with a message. */
struct attached attach_run(const struct attach *attach);

#endif

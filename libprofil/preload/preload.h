/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libprofil-preload.so: profiles the program that it is preloaded into, from
 * before main() to its end, whatever the end is.
 *
 * A process has one file for each program that it runs; a fork child has its
 * own. Nothing is kept open, no signal is used, and no system call is made
 * between start and end but at dlopen, dlclose, fork, and where the program
 * profiles, locks or limits itself.
 *
 * Nothing of this may be seen by the program: errno is what it was.
 */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

#include "file.h"
#include "sampler.h"

#include <sys/types.h>

#define EXPORT __attribute__((visibility("default")))

struct preload {
	struct file	file;
	struct sampler	sampler;
	int		error;	/* errno of the device; 0: it works */
	const char	*why;	/* the same in words */
	bool		taken;	/* the program has started a profile itself */
	char		name[200];	/* of the process, as it was at the start */
	int		(*next_ioctl)(int fd, unsigned long command, ...);
	pid_t		(*next_fork)(void);	/* libc's _Fork(), or NULL */
};

extern struct preload preload;

/*
 * Whether this process has a file, and its memory is still what it was: not in
 * the child of a bare clone, nor of a vfork, which shares its parent's memory.
 */
bool preload_has_file(void);

/* The definition after ours in the search order: libc's. */
void *preload_next(const char *symbol);

/*
 * Starts the sample array again, after something else had the profile: the
 * samples go on where they were.
 */
void preload_resume(void);

#endif

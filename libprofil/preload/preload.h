/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libprofil-preload.so profiles the program that it is preloaded into, from before
 * main() to the end, however the program ends.
 *
 * A process has one file for each program that it runs; a fork child has a file of
 * its own. The library keeps no descriptor open and uses no signal. Between start and
 * end it makes system calls only at dlopen, dlclose and fork, and where the program
 * profiles, locks or limits itself.
 *
 * The program must not notice: every wrapper leaves errno as it was.
 */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

#include "file.h"
#include "sampler.h"

#include <sys/types.h>

#define EXPORT __attribute__((visibility("default")))

struct preload {
	struct sampler	sampler;
	int		error;	/* errno of the device; 0: it works */
	const char	*why;	/* text for @error */
	bool		taken;	/* the program has started a profile itself */
	char		name[200];	/* the process's name at its start */
	int		(*next_ioctl)(int fd, unsigned long command, ...);
	pid_t		(*next_fork)(void);	/* libc's _Fork(), or NULL */
	struct file	file;	/* last: its path is long */
};

extern struct preload preload;

/*
 * Whether this process has a file, and it is still mapped. False in the child of a
 * bare clone(), and of a vfork(), which shares its parent's memory.
 */
bool preload_has_file(void);

/* The next definition of @symbol in the search order, usually libc's. */
void *preload_next(const char *symbol);

/* The same for a function that libc's headers declare. */
#define NEXT(function)	((__typeof__(function) *)preload_next(#function))

/*
 * Starts the sample array again after another profile or a pause. New samples follow
 * the old ones. If that is refused, says why, here and in the file. @fd is the device, or -1.
 */
void preload_resume(int fd);

/* Notes in the file why our profile has ended by itself, if @state says so. */
void preload_note_stop(uint32_t state);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls that a stop of a thread has interrupted. */
#ifndef INTERRUPTED_H
#define INTERRUPTED_H

#include <stdbool.h>
#include <sys/user.h>

/* Results that never reach a program: the kernel restarts the call, each in its way. */
#define INTERRUPTED_RESTART		((unsigned long)-514)
#define INTERRUPTED_RESTART_BLOCK	((unsigned long)-516)

/*
 * Whether the program would see EINTR because profil has stopped it. Some calls are never
 * restarted by the kernel, but can be.
 */
bool interrupted_must_restart(const struct user_regs_struct *registers);

/* Whether the kernel restarts a call with this result. */
bool interrupted_restarts(long result);

/* The registers with which a call begins again, or the program continues. */
struct user_regs_struct interrupted_resumed(const struct user_regs_struct *registers);

/*
 * How well a thread can be stopped in system call @line of /proc/TID/syscall. A lower
 * number is better.
 */
enum interrupted_class {
	INTERRUPTED_SAFE,	/* the kernel restarts it as if nothing had happened */
	INTERRUPTED_BLOCK,	/* the kernel restarts it with what is left of the time */
	INTERRUPTED_RUNNING,	/* in no call now */
	INTERRUPTED_ANEW,	/* we restart it, and its timeout begins anew */
	INTERRUPTED_NEVER,	/* it could be cut short */
};

enum interrupted_class interrupted_class_of(const char *line);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process that profil attaches to: what it is, and whether it can be attached to. */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct target {
	pid_t	pid;
	int	proc;		/* /proc/PID, locked: at most one profil for a process */
	int	pidfd;
	uid_t	owner;		/* its effective user */
	char	name[64];	/* name of its program, fit for a file name */
	char	*root;		/* its root directory if that is not ours; else NULL */
	char	*prefix;	/* what paths in maps have before those of the process; or NULL */
	bool	mounts;		/* it has other mounts: its paths lead nowhere here */
};

/* Opens process @pid. If it cannot be attached to, ends with a message that says why. */
void target_open(struct target *target, pid_t pid);

/* The file /proc/PID/@name as text, or NULL. The caller frees it. */
char *target_read(const struct target *target, const char *name, size_t *size);

/* A line "@field: VALUE" of a status file in /proc; NULL if it has none. */
const char *target_field(const char *status, const char *field);

/* How far its CLOCK_MONOTONIC is ahead of ours: it may be in another time namespace. */
uint64_t target_ahead_ns(const struct target *target);

/*
 * Whether it has called mq_notify(3) and waits for the message. Whoever closes a descriptor
 * of the queue in the process ends that, also a copy.
 */
bool target_awaits_message(const struct target *target);

/* Whether /proc's file "stat" is of a kernel's thread: io_uring has some in a process. */
bool target_is_kernels(const char *stat);

/* Whether its main thread has ended, but others run. Then /proc shows no memory of it. */
bool target_is_headless(const struct target *target);

/* Whether it may no longer be looked at, as after prctl(PR_SET_DUMPABLE, 0). */
bool target_is_hidden(const struct target *target);

/* Says why ptrace(2) was refused with @error. */
void target_explain(const struct target *target, int error);

/* Whether a program still runs there: not a zombie. */
bool target_lives(const struct target *target);

/* Whether its main thread still has the memory of a program. It loses that before it ends. */
bool target_has_memory(const struct target *target);

#endif

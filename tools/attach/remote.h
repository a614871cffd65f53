/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls that the process makes for us, in a thread of ours in it that has the
 * process's memory, but none of its descriptors.
 */
#ifndef REMOTE_H
#define REMOTE_H

#include "attach/target.h"
#include "attach/thread.h"
#include "attach/trampoline.h"

struct remote {
	const struct target	*target;
	struct thread		program;	/* a thread of the program */
	bool			held;		/* it is stopped until ours has ended */
	struct thread		ours;
	struct user_regs_struct	registers;	/* with which ours began */
	struct trampoline	trampoline;
	int			memory;		/* its memory */
	unsigned long		vdso_end;
	bool			impatient;	/* the call may be ended by us */
	bool			lost;		/* the process has ended, or our thread */
};

/*
 * Starts the thread. @held is a thread of the program that is stopped already; NULL: any
 * will do. False after a message, and no thread is held any more.
 */
bool remote_begin(struct remote *remote, const struct target *target,
		  const struct thread *held);

/* The result, or a negative errno. */
long remote_call_all(struct remote *remote, long call, const unsigned long arguments[6]);

#define remote_call(remote, call, ...)	\
	remote_call_all(remote, call, (const unsigned long[6]){ __VA_ARGS__ })

/* False if the memory is not there. */
bool remote_read(const struct remote *remote, unsigned long address, void *bytes,
		 size_t size);
bool remote_write(const struct remote *remote, unsigned long address, const void *bytes,
		  size_t size);

/* Ends our thread, then lets the program go on if it was stopped until now. */
void remote_end(struct remote *remote);

#endif

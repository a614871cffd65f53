/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The code in the process at which its threads make our system calls. Whatever runs
 * there without us puts itself back: a thread of the program continues the program, and
 * ours exits.
 */
#ifndef TRAMPOLINE_H
#define TRAMPOLINE_H

#include "attach/thread.h"

struct trampoline {
	unsigned long	slot;		/* its address */
	unsigned long	clone;		/* where a thread of the program makes ours */
	unsigned long	call;		/* where ours makes its calls */
	unsigned long	exit;		/* where ours exits */
};

/*
 * Finds room at the end of the vdso, which is @end. @busy tells whether a thread may be in
 * a slot, or return to it. False: there is none.
 */
bool trampoline_claim(struct trampoline *trampoline, int memory, unsigned long end,
		      bool (*busy)(void *context, pid_t tid, unsigned long slot),
		      void *context);

/* Whether the stack of @thread, which is stopped, has an address of the slot. */
bool trampoline_awaits(int memory, unsigned long slot, const struct thread *thread);

/* Whether @thread, which is stopped, is in a slot. */
bool trampoline_has(int memory, unsigned long end, const struct thread *thread);

/* Writes it through @thread, which continues the program with its registers. */
void trampoline_write(const struct trampoline *trampoline, const struct thread *thread);

/* The thread has left it. */
void trampoline_free(const struct trampoline *trampoline, const struct thread *thread);

/* Bytes of a slot, and of all slots. */
#define TRAMPOLINE_BYTES	256UL
#define TRAMPOLINE_ROOM		(5 * TRAMPOLINE_BYTES)

#endif

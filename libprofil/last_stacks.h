/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The last stack of each thread: records of a stream say what has changed since. */
#ifndef LIBPROFIL_LAST_STACKS_H
#define LIBPROFIL_LAST_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* One thread's, from the outermost frame to the innermost. */
struct last_stack {
	uint32_t	thread;
	uint32_t	nframes;
	uint64_t	*frame;
};

/* All of them: a tree by thread, and the one that was asked for last. */
struct last_stacks {
	void			*tree;
	struct last_stack	*latest;
};

/* That of @thread, which is empty if there is none yet; NULL: no memory. */
struct last_stack *libprofil_last_stacks_of(struct last_stacks *stacks,
					    uint32_t thread);

/* The stack of @n frames, from the innermost, is now the last. False: no memory. */
bool libprofil_last_stacks_remember(struct last_stack *last, const uint64_t *frame,
				    uint32_t n);

/* Forgets all. */
void libprofil_last_stacks_free(struct last_stacks *stacks);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The last stack of each thread: a record of a stream holds the difference from it. */
#ifndef LIBPROFIL_LAST_STACKS_H
#define LIBPROFIL_LAST_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* One thread's last stack, from the outermost frame to the innermost. */
struct last_stack {
	uint32_t	thread;
	uint32_t	nframes;
	uint64_t	*frame;
};

/* A tree of them by thread, and the one found last. */
struct last_stacks {
	void			*tree;
	struct last_stack	*latest;
};

/* The last stack of @thread, new and empty if there is none; NULL: no memory. */
struct last_stack *libprofil_last_stacks_of(struct last_stacks *stacks,
					    uint32_t thread);

/* Makes @n frames, from the innermost, the last stack. False: no memory. */
bool libprofil_last_stacks_remember(struct last_stack *last, const uint64_t *frame,
				    uint32_t n);

void libprofil_last_stacks_free(struct last_stacks *stacks);

#endif

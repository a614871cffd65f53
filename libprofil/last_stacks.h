/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The last stack of each thread: a record of a stream holds the difference from it. */
#ifndef LIBPROFIL_LAST_STACKS_H
#define LIBPROFIL_LAST_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One thread's last stack, from the innermost frame to the outermost, at the end of the
 * room. So the frames that the next stack shares stay where they are.
 */
struct last_stack {
	uint32_t	thread;
	uint32_t	nframes;
	uint32_t	room;
	uint64_t	*frame;
};

#define LAST_STACKS_RECENT	64

/* A tree of them by thread, and those found last. */
struct last_stacks {
	void			*tree;
	struct last_stack	*recent[LAST_STACKS_RECENT];
};

/* The last stack of @thread, new and empty if there is none; NULL: no memory. */
struct last_stack *libprofil_last_stacks_of(struct last_stacks *stacks,
					    uint32_t thread);

/* Makes room for @n frames, and moves those there to its end. False: no memory. */
bool libprofil_last_stacks_reserve(struct last_stack *last, uint32_t n);

void libprofil_last_stacks_free(struct last_stacks *stacks);

#endif

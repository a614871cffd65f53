/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_STACK_STREAM_H
#define _PROFIL_STACK_STREAM_H

#include <linux/types.h>

#include "page.h"
#include "unwind_current.h"

struct profil;
struct profil_stacks_entry;

/**
 * struct profil_stack_look - what a thread has found of its own stack.
 * @run:    the run of the ticks that it looked for.
 * @from:   where these were.
 * @walked: what it found.
 */
struct profil_stack_look {
	u32			run;
	struct profil_unwind_from	from;
	struct profil_unwound	walked;
};

int profil_stack_write(struct profil *p, struct profil_stacks_entry *e,
		       const struct profil_stack_look *look, enum profil_patience patience);
void profil_stack_write_left(struct profil *p);
void profil_stack_drop(struct profil *p, struct profil_stacks_entry *e);
void profil_stack_stream_drop(struct profil *p);
int profil_stack_stream_settle(struct profil *p);
void profil_stack_stream_ahead(struct profil *p);

#endif /* _PROFIL_STACK_STREAM_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The current thread's stack. All that depends on the architecture, of stacks, is
 * here and in unwind_current.c: where there is none of that, there are no stacks.
 */
#ifndef _PROFIL_UNWIND_CURRENT_H
#define _PROFIL_UNWIND_CURRENT_H

#include <linux/err.h>
#include <linux/types.h>
#include <linux/profil_stacks.h>

struct profil_table;
struct profil_unwinder;

/**
 * struct profil_unwind_from - where to begin.
 * @table:  where code is; NULL: nowhere.
 * @ip:     the pc of the innermost frame,
 * @sp:     and its stack pointer.
 * @now:    CLOCK_MONOTONIC.
 * @thread: its id.
 */
struct profil_unwind_from {
	struct profil_table	*table;
	u64			ip;
	u64			sp;
	u64			now;
	u32			thread;
};

/**
 * struct profil_unwound - what a walk has found.
 * @nframes: from 1 to PROFIL_STACK_FRAMES.
 * @flags:   PROFIL_STACK_GUESSED, MOVED.
 * @end:     enum profil_stack_end.
 * @frame:   from the innermost to the outermost.
 */
struct profil_unwound {
	u32		nframes;
	u32		flags;
	u32		end;
	const u64	*frame;
};

#ifdef CONFIG_X86_64
#define PROFIL_UNWIND_SUPPORTED	true

struct profil_unwinder *profil_unwinder_alloc(bool rules);
void profil_unwinder_free(struct profil_unwinder *unwinder);
void profil_unwind_current(struct profil_unwinder *unwinder,
			   const struct profil_unwind_from *from,
			   struct profil_unwound *walked);
#else
#define PROFIL_UNWIND_SUPPORTED	false

static inline struct profil_unwinder *profil_unwinder_alloc(bool rules)
{
	return NULL;
}

static inline void profil_unwinder_free(struct profil_unwinder *unwinder) { }

static inline void profil_unwind_current(struct profil_unwinder *unwinder,
					 const struct profil_unwind_from *from,
				       struct profil_unwound *walked)
{
}
#endif

#endif /* _PROFIL_UNWIND_CURRENT_H */

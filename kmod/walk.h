/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The current thread's stack. All that depends on the architecture, of stacks, is
 * here and in walk.c: where there is none of that, there are no stacks.
 */
#ifndef _PROFIL_WALK_H
#define _PROFIL_WALK_H

#include <linux/err.h>
#include <linux/types.h>
#include <linux/profil_stacks.h>

struct profil_table;
struct profil_walker;

/**
 * struct profil_walk_from - where to begin.
 * @table: where code is; NULL: nowhere.
 * @ip:    the pc of the innermost frame,
 * @sp:    and its stack pointer.
 * @now:   CLOCK_MONOTONIC.
 */
struct profil_walk_from {
	struct profil_table	*table;
	u64			ip;
	u64			sp;
	u64			now;
};

/**
 * struct profil_walked - what a walk has found.
 * @nframes: from 1 to PROFIL_STACK_FRAMES.
 * @flags:   PROFIL_STACK_GUESSED, MOVED.
 * @end:     enum profil_stack_end.
 * @frame:   from the innermost to the outermost.
 */
struct profil_walked {
	u32		nframes;
	u32		flags;
	u32		end;
	const u64	*frame;
};

#ifdef CONFIG_X86_64
#define PROFIL_STACKS_SUPPORTED	true

struct profil_walker *profil_walker_alloc(bool rules);
void profil_walker_free(struct profil_walker *walker);
void profil_walk_current(struct profil_walker *walker, const struct profil_walk_from *from,
			 struct profil_walked *walked);
#else
#define PROFIL_STACKS_SUPPORTED	false

static inline struct profil_walker *profil_walker_alloc(bool rules)
{
	return NULL;
}

static inline void profil_walker_free(struct profil_walker *walker) { }

static inline void profil_walk_current(struct profil_walker *walker,
				       const struct profil_walk_from *from,
				       struct profil_walked *walked)
{
}
#endif

#endif /* _PROFIL_WALK_H */

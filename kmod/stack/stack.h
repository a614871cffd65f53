/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call stacks of samples: all functions that the rest of the module calls.
 *
 * A module without stacks (PROFIL_STACKS=0, or another architecture) refuses requests with
 * stacks, so no profile has any. It has none of these functions: all calls depend on
 * PROFIL_HAS_STACKS, so the compiler leaves them out.
 */
#ifndef _PROFIL_STACK_H
#define _PROFIL_STACK_H

#include <linux/types.h>
#include <linux/profil.h>

#include "run.h"

struct file;
struct mm_struct;
struct profil;
struct profil_wait;
struct task_struct;

/**
 * struct profil_waiter - the thread that a CPU runs, if its waits have samples.
 * @next: time for which it will have waited in all at its next sample; 0: no such thread.
 * @w:    where its samples without a record are, if it had any when it began to run. Then
 *        w->task is the thread until these are written.
 */
struct profil_waiter {
	u64			next;
	struct profil_wait	*w;
};

#ifdef PROFIL_STACKS
#define PROFIL_HAS_STACKS	true
#else
#define PROFIL_HAS_STACKS	false
#endif

static __always_inline bool profil_stack_has(const struct profil_run *run)
{
	return PROFIL_HAS_STACKS && run->stacks;
}

static __always_inline bool profil_stack_has_waits(const struct profil_run *run)
{
	return PROFIL_HAS_STACKS && run->flags & PROFIL_WAITS;
}

int profil_stack_check(const struct profil_samples *req, u64 stacks);
u32 profil_stack_version(void);
int profil_stack_prepare(struct profil *p, const struct profil_run *run);
void profil_stack_begin(struct profil *p, const struct profil_run *run);
int profil_stack_settle(struct profil *p);
void profil_stack_free(struct profil *p);
bool profil_stack_is_walking(struct profil *p);
void profil_capture_tick(struct profil *p, u64 sample, u64 ip, bool user);
void profil_waits_begin(struct profil *p, const struct profil_run *run);
struct profil_waiter profil_waits_here(struct profil *p, const struct profil_run *run,
				       u64 waited);
struct profil_waiter profil_waits_in(struct profil *p, const struct profil_run *run,
				     struct task_struct *t, u64 now);
void profil_waits_out(struct profil *p, struct profil_waiter waiter, bool runnable);
void profil_waits_end(struct profil *p);
int profil_object_table_replace(struct file *file, const void __user *arg);
void profil_object_table_inherit(struct profil *child, const struct mm_struct *from);

#endif /* _PROFIL_STACK_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call stacks of samples: all functions that the rest of the module calls.
 *
 * A module without stacks (PROFIL_STACKS=0, or another architecture) has the stubs at
 * the end of this file: it refuses requests with stacks, so no profile has any.
 */
#ifndef _PROFIL_STACK_H
#define _PROFIL_STACK_H

#include <linux/errno.h>
#include <linux/types.h>

struct file;
struct mm_struct;
struct profil;
struct profil_object_table;
struct profil_run;
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
int profil_stack_check(void);
u32 profil_stack_version(void);
int profil_stack_prepare(struct profil *p, const struct profil_run *run);
void profil_stack_begin(struct profil *p, const struct profil_run *run);
void profil_stack_free(struct profil *p);
void profil_capture_tick(struct profil *p, u64 sample, u64 ip, bool user);
bool profil_capture_is_walking(struct profil *p, const struct task_struct *t);
bool profil_capture_takes_waits(struct profil *p, const struct task_struct *t);
int profil_capture_settle(struct profil *p);
void profil_waits_begin(struct profil *p, const struct profil_run *run);
struct profil_waiter profil_waits_here(struct profil *p, const struct profil_run *run,
				       u64 waited);
struct profil_waiter profil_waits_in(struct profil *p, const struct profil_run *run,
				     struct task_struct *t, u64 now);
void profil_waits_out(struct profil *p, struct profil_waiter waiter, bool runnable);
bool profil_waits_is_walking(struct profil *p);
void profil_waits_end(struct profil *p);
int profil_waits_settle(struct profil *p);
int profil_object_table_replace(struct file *file, const struct profil_object_table *req);
void profil_object_table_inherit(struct profil *child, const struct mm_struct *from);
#else
static inline int profil_stack_check(void)
{
	return -EINVAL;
}

static inline u32 profil_stack_version(void)
{
	return 0;
}

static inline int profil_stack_prepare(struct profil *p, const struct profil_run *run)
{
	return 0;
}

static inline void profil_stack_begin(struct profil *p, const struct profil_run *run) { }
static inline void profil_stack_free(struct profil *p) { }
static inline void profil_capture_tick(struct profil *p, u64 sample, u64 ip, bool user) { }

static inline bool profil_capture_is_walking(struct profil *p, const struct task_struct *t)
{
	return false;
}

static inline int profil_capture_settle(struct profil *p)
{
	return 0;
}

static inline void profil_waits_begin(struct profil *p, const struct profil_run *run) { }

static inline struct profil_waiter
profil_waits_here(struct profil *p, const struct profil_run *run, u64 waited)
{
	return (struct profil_waiter) {};
}

static inline struct profil_waiter
profil_waits_in(struct profil *p, const struct profil_run *run, struct task_struct *t, u64 now)
{
	return (struct profil_waiter) {};
}

static inline void profil_waits_out(struct profil *p, struct profil_waiter waiter,
				    bool runnable) { }

static inline bool profil_waits_is_walking(struct profil *p)
{
	return false;
}

static inline void profil_waits_end(struct profil *p) { }

static inline int profil_waits_settle(struct profil *p)
{
	return 0;
}

static inline int profil_object_table_replace(struct file *file,
					      const struct profil_object_table *req)
{
	return -EINVAL;
}

static inline void profil_object_table_inherit(struct profil *child,
					       const struct mm_struct *from) { }
#endif

#endif /* _PROFIL_STACK_H */

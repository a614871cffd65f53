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

#ifdef PROFIL_STACKS
int profil_stack_check(void);
u32 profil_stack_version(void);
int profil_stack_prepare(struct profil *p, const struct profil_run *run);
void profil_stack_begin(struct profil *p, const struct profil_run *run);
void profil_stack_free(struct profil *p);
void profil_capture_tick(struct profil *p, u64 sample, u64 ip, bool user);
bool profil_capture_is_walking(struct profil *p);
int profil_capture_settle(struct profil *p);
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

static inline bool profil_capture_is_walking(struct profil *p)
{
	return false;
}

static inline int profil_capture_settle(struct profil *p)
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

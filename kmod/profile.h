/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_PROFILE_H
#define _PROFIL_PROFILE_H

#include <linux/hash.h>
#include <linux/kref.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/types.h>
#include <linux/profil.h>

#include "compat.h"
#include "run.h"
#include "slots.h"

struct profil;
struct profil_stacks;
struct profil_table;
struct profil_user;

/**
 * enum profil_stage - what is to be done with the slots, and whose they are.
 * @PROFIL_STOPPED: nothing; there is no run.
 * @PROFIL_LIVE:    a run has been started; it may have ended by itself.
 * @PROFIL_STOPPING: ticks add nothing any more. A call settles what waits, or
 *                  was killed while it did; the next one goes on.
 * @PROFIL_CLOSED:  nothing, for ever: the process has unmapped the page.
 */
enum profil_stage {
	PROFIL_STOPPED,
	PROFIL_LIVE,
	PROFIL_STOPPING,
	PROFIL_CLOSED,
};

/**
 * struct profil_callback - calls a thread back on its way to user mode.
 * @work:    in the thread's list of task work.
 * @profil:  whom it calls; a reference while @task is set.
 * @task:    the thread, to be compared only; NULL: free.
 */
struct profil_callback {
	struct callback_head	work;
	struct profil		*profil;
	struct task_struct	*task;
};

/* Threads of one profile that may have a callback at one time. */
#define PROFIL_CALLBACKS	64

/**
 * struct profil_callbacks - of one profile, under profil.lock.
 * @settler: the thread that is settling, to be compared only, or NULL.
 * @pool:    a thread has at most one of them.
 */
struct profil_callbacks {
	struct task_struct	*settler;
	struct profil_callback	pool[PROFIL_CALLBACKS];
};

/**
 * struct profil - what an address space, or one of its threads, has while the
 * page of /dev/profil for it is mapped.
 * @node:      in the hash by @mm, under RCU.
 * @mm:        the address space; the key, and held by mmgrab().
 * @live:      the run that ticks are charged to, or NULL. Taken away with
 *             profil_unpublish().
 * @divided:   this is a thread's, or threads of @mm have their own: whose ticks
 *             are whose is for profil_find_task() to say. Follows the hash.
 * @own:       this is a thread's.
 * @thread:    that thread, with a reference, so that no other is ever taken for
 *             it. In a fork child NULL until its first tick or call.
 * @newborn:   that thread until then, to be compared only, and only while it owns
 *             @mm.
 * @status:    kernel address of @page.
 * @lock:      protects @stage, @run, @next, @forked, @slots, @callbacks and most
 *             of @stacks, and is held while what waits is written to the process's memory. Taken
 *             in the tick.
 * @stage:     enum profil_stage.
 * @run:       the run that was started last, from its start to its stop.
 * @next:      the run that a start is about to put in its place, or NULL. A child
 *             that is forked meanwhile runs it.
 * @forked:    a child has taken over a run since forks were last waited for.
 * @slots:     updates that wait for their page.
 * @callbacks: of threads that will settle them.
 * @stacks:    what stacks need, once a run had some; or NULL. Set once,
 *             before such a run is published.
 * @table:     where code is, or NULL; a reference. Under @lock, like
 * @generation: of the table that was set last.
 * @ref:       the mapping, an ioctl in progress, a callback. It holds the module.
 * @control:   serialises the calls that start and stop. Taken before the mmap
 *             lock, never under it.
 * @nmaps:     mappings of the page in @mm; see profil_assert_mapping().
 * @addr:      user address of the page: where it was mapped or moved to last, 0
 *             if that is unmapped again; likewise.
 * @page:      shown to the process.
 * @user:      whose profile it is, for the limit.
 * @rcu:       for the readers of the hash.
 */
struct profil {
	struct hlist_node	node;
	struct mm_struct	*mm;
	struct profil_run	*live;
	bool			divided;
	bool			own;
	struct pid		*thread;
	const struct task_struct *newborn;
	struct profil_status	*status;
	raw_spinlock_t		lock;
	enum profil_stage	stage;
	struct profil_run	*run;
	struct profil_run	*next;
	bool			forked;
	struct profil_slots	slots;
	struct profil_callbacks	callbacks;
	struct profil_stacks	*stacks;
	struct profil_table	*table;
	u32			generation;
	struct kref		ref;
	struct mutex		control;	/* start and stop */
	unsigned int		nmaps;
	unsigned long		addr;
	struct page		*page;
	struct profil_user	*user;
	struct rcu_head		rcu;
};

struct profil *profil_alloc(struct mm_struct *mm);
struct profil *profil_get(struct mm_struct *mm);
struct profil *profil_get_own(void);
struct profil *profil_get_left(void);
bool profil_adopt(struct profil *p);
void profil_put(struct profil *p);
void profil_hash(struct profil *p);
void profil_unhash(struct profil *p);
void profil_set_stage(struct profil *p, enum profil_stage to);
void profil_status_reset(struct profil *p, const struct profil_run *run);

/* A bystander's tick walks one chain: 2000 profiles must leave that short. */
#define PROFIL_HASH_BITS	12
extern struct hlist_head profil_profiles[1 << PROFIL_HASH_BITS];

static inline struct hlist_head *profil_chain(const struct mm_struct *mm)
{
	return &profil_profiles[hash_ptr(mm, PROFIL_HASH_BITS)];
}

/*
 * Whether @p, which is a thread's, is the one of @t. What is only known by its
 * address owns its memory as long as it lives; later that may be another task's
 * address.
 */
static inline bool profil_is_of(const struct profil *p, const struct task_struct *t)
{
	const struct pid *thread = READ_ONCE(p->thread);

	if (thread)
		return thread == READ_ONCE(t->thread_pid);
	return t == p->newborn && t == profil_mm_owner(p->mm);
}

/*
 * A profile of @mm, whosever it is, or NULL, good for as long as RCU is held off: by a read
 * section, or by interrupts that are off (PROVE_RCU_LIST sees that one is).
 */
static __always_inline struct profil *profil_find(const struct mm_struct *mm)
{
	struct profil *p;

	hlist_for_each_entry_rcu(p, profil_chain(mm), node)
		if (p->mm == mm)
			return p;
	return NULL;
}

struct profil *profil_find_process(const struct mm_struct *mm);
struct profil *profil_find_thread(const struct mm_struct *mm,
				  const struct task_struct *t);
struct profil *profil_find_task(struct task_struct *t);
unsigned int profil_threads(const struct mm_struct *mm);

/* The profile that ticks of @t, who uses @mm, are charged to, likewise. */
static __always_inline struct profil *profil_find_of(const struct mm_struct *mm,
						     struct task_struct *t)
{
	struct profil *p = profil_find(mm);

	/* A start ends in the thread that it is for: that sees it. */
	if (p && unlikely(data_race(p->divided)))
		return profil_find_task(t);
	return p;
}

#endif /* _PROFIL_PROFILE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_PROFILE_H
#define _PROFIL_PROFILE_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
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
#include "tick/clock.h"

struct profil;
struct profil_shared_rules;
struct profil_stacks;
struct profil_table;
struct profil_user;

/**
 * enum profil_stage - what happens to deferred updates.
 * @PROFIL_STOPPED: nothing; there is no run.
 * @PROFIL_LIVE:    a run has been started; it may have ended by itself.
 * @PROFIL_STOPPING: ticks add nothing any more. A call applies the updates. If it
 *                  was killed, the next call continues.
 * @PROFIL_CLOSED:  the process has unmapped the page; final.
 */
enum profil_stage {
	PROFIL_STOPPED,
	PROFIL_LIVE,
	PROFIL_STOPPING,
	PROFIL_CLOSED,
};

/**
 * struct profil_callback - task work of a thread, on its way to user mode.
 * @work:    in the thread's list of task work.
 * @profil:  a reference while @task is set.
 * @task:    the thread, only compared; NULL: free.
 */
struct profil_callback {
	struct callback_head	work;
	struct profil		*profil;
	struct task_struct	*task;
};

/**
 * struct profil_update - a change to the process's memory.
 * @addr:   address of the counter or the array element.
 * @value:  histogram: number of ticks; sample array: the pc to store.
 * @index:  histogram: the region; sample array: the element's position.
 */
struct profil_update {
	u64	addr;
	u64	value;
	u64	index;
};

/**
 * struct profil_slot - an update that waits for its page.
 * @update: of the profile's run.
 * @pid:    the thread of its first tick.
 * @bytes:  number of bytes that the update changes.
 * @tries:  how often its page was brought in and was gone again.
 */
struct profil_slot {
	struct profil_update	update;
	pid_t			pid;
	u8			bytes;
	u8			tries;
};

/* Most updates that wait at one time, per profile. */
#define PROFIL_SLOTS	256

/* Most threads of one profile that have a callback at one time. */
#define PROFIL_CALLBACKS	64

/**
 * struct profil_pools - what a profile takes for each update that waits.
 * @slot:     the ring of updates.
 * @callback: at most one for each thread; those without a task are free.
 *
 * 10 KiB, which are not cleared for each child of a shell, but once, when their cache makes
 * them: a slot is written before it is read, and all callbacks are free when the profile
 * ends, as each holds a reference.
 */
struct profil_pools {
	struct profil_slot	slot[PROFIL_SLOTS];
	struct profil_callback	callback[PROFIL_CALLBACKS];
};

/**
 * struct profil_deferred_ring - updates that found their page absent.
 * @first: sequence number of the oldest, in slot @first % PROFIL_SLOTS. Never
 *         reset, so a number names one update of the profile.
 * @n:     number of updates.
 *
 * Under profil.lock.
 */
struct profil_deferred_ring {
	u64			first;
	unsigned int		n;
};

/**
 * struct profil_process - the profiles of an address space.
 * @node:     in the hash by @mm, under RCU.
 * @mm:       the key, held by mmgrab().
 * @profil:   the profile of the process, or NULL. Under RCU, like @threads.
 * @threads:  the profiles of single threads, by struct profil.sibling.
 * @nthreads: length of @threads.
 * @users:    number of struct profil that point here.
 * @rcu:      for the readers of the hash.
 *
 * All changes are made under the lock of the hash.
 */
struct profil_process {
	struct hlist_node	node;
	struct mm_struct	*mm;
	struct profil __rcu	*profil;
	struct hlist_head	threads;
	unsigned int		nthreads;
	unsigned int		users;
	struct rcu_head		rcu;
};

/**
 * struct profil - the profile of an address space, or of one of its threads, while
 * its page of /dev/profil is mapped.
 * @process:   the profiles of the same address space; holds @mm.
 * @mm:        the address space.
 * @thread:    the thread, with a reference, so that no later thread has the same
 *             address. NULL: the profile is the process's.
 * @sibling:   in @process, for a thread's profile.
 * @live:      the run that ticks are charged to, or NULL. profil_unpublish() takes
 *             it away.
 * @choice:    which ticks are samples, at PROFIL_RATE_CLOCK.
 * @status:    kernel address of @page.
 * @lock:      protects @stage, @run, @next, @forked, @pools, @deferred, @applier, @table,
 *             @generation and most of @stacks. Held while deferred updates are
 *             written to the process's memory. Taken in the tick.
 * @stage:     enum profil_stage.
 * @run:       the run that was started last, from its start to its stop.
 * @next:      the run that a start is about to put in its place, or NULL. A child
 *             that is forked meanwhile runs it.
 * @forked:    a child has taken over a run since the last wait for forks.
 * @pools:     what the next two use.
 * @deferred:  updates that wait for their page.
 * @applier:   the thread that is applying them, only compared, or NULL.
 * @stacks:    state of stacks, or NULL. Set once, before the first run with stacks
 *             is published.
 * @table:     where code is, with a reference, or NULL.
 * @generation: number of the last table.
 * @ref:       held by the mapping, an ioctl in progress, a callback. It holds the
 *             module.
 * @control:   serialises the calls that start and stop. Taken before the mmap
 *             lock, never under it.
 * @addr:      user address of the page.
 * @page:      the page that the process sees.
 * @user:      the user that the profile is charged to.
 * @rcu:       for readers of the hash.
 */
struct profil {
	struct profil_process	*process;
	struct mm_struct	*mm;
	struct pid		*thread;
	struct hlist_node	sibling;
	struct profil_run	*live;
	struct profil_choice	choice;
	struct profil_status	*status;
	raw_spinlock_t		lock;
	enum profil_stage	stage;
	struct profil_run	*run;
	struct profil_run	*next;
	bool			forked;
	struct profil_pools	*pools;
	struct profil_deferred_ring deferred;
	struct task_struct	*applier;
	struct profil_stacks	*stacks;
	struct profil_table	*table;
	u32			generation;
	struct kref		ref;
	struct mutex		control;	/* start and stop */
	unsigned long		addr;
	struct page		*page;
	struct profil_user	*user;
	struct rcu_head		rcu;
};

/* The @i-th oldest deferred update, or the first free slot. */
static inline struct profil_slot *profil_deferred_at(const struct profil *p, unsigned int i)
{
	return &p->pools->slot[(p->deferred.first + i) % PROFIL_SLOTS];
}

/* might_sleep() without its preemption point, for what each sample does. */
static __always_inline void profil_may_sleep(void)
{
	if (IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP))
		might_sleep();
}

int profil_alloc_init(void);
void profil_alloc_exit(void);
struct profil *profil_alloc(struct mm_struct *mm, unsigned long addr);
struct profil *profil_find_task(const struct profil_process *process,
				const struct task_struct *t);
int profil_may_create(bool own);
struct profil *profil_get(bool own);
void profil_release(struct kref *ref);

/* Drop a reference; not in a tick. */
static inline void profil_put(struct profil *p)
{
	profil_may_sleep();
	kref_put(&p->ref, profil_release);
}

void profil_hash(struct profil *p);
void profil_unhash(struct profil *p);
void profil_set_stage(struct profil *p, enum profil_stage to);
void profil_status_reset(struct profil *p, const struct profil_run *run);

/* Each tick walks one chain of the hash. Chains stay short with 2000 processes. */
#define PROFIL_HASH_BITS	12
extern struct hlist_head profil_processes[1 << PROFIL_HASH_BITS];

/*
 * The profiles of @mm, or NULL. Valid in an RCU read section, or while interrupts
 * are off (PROVE_RCU_LIST checks that).
 */
static __always_inline struct profil_process *profil_find(const struct mm_struct *mm)
{
	struct profil_process *process;

	hlist_for_each_entry_rcu(process, &profil_processes[hash_ptr(mm, PROFIL_HASH_BITS)], node)
		if (process->mm == mm)
			return process;
	return NULL;
}

/* The profile that ticks of @t, which uses @mm, are charged to, under RCU. */
static __always_inline struct profil *profil_find_of(const struct mm_struct *mm,
						     const struct task_struct *t)
{
	const struct profil_process *process = profil_find(mm);

	if (!process)
		return NULL;
	/* A thread sees its own profile, as it has started it itself. */
	if (unlikely(!hlist_empty(&process->threads)))
		return profil_find_task(process, t);
	return rcu_dereference_check(process->profil, rcu_read_lock_any_held());
}

/*
 * The profile that this CPU is writing for, with interrupts off. profil_drain()
 * waits while it is set.
 */
DECLARE_PER_CPU(struct profil *, profil_inflight);

/* Begin to write for @p, for the run returned. It is valid until profil_leave(). */
static inline struct profil_run *profil_enter(struct profil *p)
{
	lockdep_assert_irqs_disabled();
	this_cpu_write(profil_inflight, p);
	/* Pairs with profil_drain(): it sees this CPU, or this CPU sees its change. */
	smp_mb();
	return READ_ONCE(p->live);
}

static inline void profil_leave(void)
{
	lockdep_assert_irqs_disabled();
	/* Pairs with the acquire in profil_drain(). */
	smp_store_release(this_cpu_ptr(&profil_inflight), NULL);
}

/* Several CPUs add to the counts of the status page at once. */
static inline void profil_stat_add(__u64 *count, u64 n)
{
	atomic64_add(n, (atomic64_t *)count);
}

void profil_publish(struct profil *p, struct profil_run *run);
bool profil_unpublish(struct profil *p, struct profil_run *run, u32 state);
void profil_drain(struct profil *p);

/* admin_switch.c */
int profil_admin_switch_check(void);
void profil_admin_switch_recheck(struct profil *p);

/* mapping.c */
extern const struct vm_operations_struct profil_vm_ops;
struct profil *profil_mapping_create(unsigned long addr, bool own);
struct profil *profil_mapping_get(struct file *file, bool own);
struct profil *profil_mapping_get_at(unsigned long addr);
int profil_mapping_init(void);
void profil_mapping_exit(void);

/* page.c */

/**
 * enum profil_patience - how long to wait for a page.
 * @PROFIL_TRY:  do not wait for the mmap lock; for threads on their way to user mode
 * @PROFIL_WAIT: wait until a fatal signal; for calls that the process makes
 */
enum profil_patience {
	PROFIL_TRY,
	PROFIL_WAIT,
};

int profil_page_in(struct mm_struct *mm, u64 addr, unsigned int bytes, bool write,
		   enum profil_patience patience);

/*
 * Tests widen the windows between the steps of a protocol. A module built with
 * PROFIL_DELAYS=1 has the parameter delay_us, and sleeps that long on average
 * here. In any other module this does nothing.
 */
#ifdef PROFIL_DELAYS
void profil_test_delay(void);
#else
static inline void profil_test_delay(void) { }
#endif

#endif /* _PROFIL_PROFILE_H */

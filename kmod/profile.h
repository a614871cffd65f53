/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_PROFILE_H
#define _PROFIL_PROFILE_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kref.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/profil.h>

#include "defer.h"
#include "run.h"

/**
 * struct profil - what an address space has while it maps /dev/profil.
 * @node:      in the hash by @mm, under RCU.
 * @mm:        the address space; the key, and held by mmgrab().
 * @live:      the run that ticks are charged to, or NULL. Taken away with
 *             profil_unpublish().
 * @status:    kernel address of @page.
 * @defer:     updates that wait for their page.
 * @ref:       the mapping, an ioctl in progress, a queued deferral.
 * @control:   serialises the calls that start and stop. Taken before the mmap
 *             lock, never under it.
 * @lock:      protects @run. Taken under the mmap lock; nothing that can fault
 *             happens under it.
 * @run:       the last run started, live or not, until the next call.
 * @nmaps:     mappings of the page in @mm; under the mmap write lock.
 * @addr:      user address of the page: where it was mapped or moved to last, 0
 *             if that is unmapped again; under the mmap write lock.
 * @page:      shown to the process.
 * @user:      whose profile it is, for the limit.
 * @rcu:       for the readers of the hash.
 */
struct profil {
	struct hlist_node	node;
	struct mm_struct	*mm;
	struct profil_run	*live;
	struct profil_status	*status;
	struct profil_defer	defer;
	struct kref		ref;
	struct mutex		control;	/* start and stop */
	struct mutex		lock;		/* run */
	struct profil_run	*run;
	unsigned int		nmaps;
	unsigned long		addr;
	struct page		*page;
	struct profil_user	*user;
	struct rcu_head		rcu;
};

extern const struct vm_operations_struct profil_vm_ops;

struct profil *profil_create(struct mm_struct *mm);
struct profil *profil_get(struct mm_struct *mm);
void profil_put(struct profil *p);

/* A bystander's tick walks one chain: 2000 profiles must leave that short. */
#define PROFIL_HASH_BITS	12
extern struct hlist_head profil_profiles[1 << PROFIL_HASH_BITS];

static inline struct hlist_head *profil_chain(const struct mm_struct *mm)
{
	return &profil_profiles[hash_ptr(mm, PROFIL_HASH_BITS)];
}

/* The profile of @mm or NULL. Caller is in an RCU read section of any kind. */
static __always_inline struct profil *profil_find(const struct mm_struct *mm)
{
	struct profil *p;

	hlist_for_each_entry_rcu(p, profil_chain(mm), node)
		if (p->mm == mm)
			return p;
	return NULL;
}

bool profil_unpublish(struct profil *p, struct profil_run *run, u32 state);

void profil_start(struct profil *p, struct profil_run *run,
		  struct profil_status *last);
void profil_stop(struct profil *p, struct profil_status *last);
void profil_get_status(struct profil *p, struct profil_status *status);

/*
 * The profile that this CPU is writing for. While it is set, profil_drain()
 * waits; interrupts are off in between.
 */
DECLARE_PER_CPU(struct profil *, profil_inflight);

/* Begin to write for @p; the run to write for is good until profil_leave(). */
static inline struct profil_run *profil_enter(struct profil *p)
{
	this_cpu_write(profil_inflight, p);
	/* Pairs with profil_drain(): it sees us, or we see what it waits for. */
	smp_mb();
	return READ_ONCE(p->live);
}

static inline void profil_leave(void)
{
	/* Pairs with the acquire in profil_drain(). */
	smp_store_release(this_cpu_ptr(&profil_inflight), NULL);
}

/* The counts of the status page are added to by several CPUs at once. */
static inline void profil_stat_add(__u64 *count, u64 n)
{
	atomic64_add(n, (atomic64_t *)count);
}

#endif /* _PROFIL_PROFILE_H */

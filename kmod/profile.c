// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an address space has while it is profiled: the object, how it is found,
 * who holds it. What becomes of it is for others to say: control.c, fork.c and
 * mapping.c.
 *
 * Layer: profile, on ground.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "objects.h"
#include "profile.h"
#include "quota.h"
#include "rate.h"
#include "run.h"
#include "stack_state.h"

struct hlist_head profil_profiles[1 << PROFIL_HASH_BITS];
static DEFINE_SPINLOCK(profiles_lock);

/* The profile of @mm with a reference, or NULL. */
struct profil *profil_get(struct mm_struct *mm)
{
	struct profil *p;

	rcu_read_lock();
	p = profil_find(mm);
	if (p && !kref_get_unless_zero(&p->ref))
		p = NULL;
	rcu_read_unlock();
	return p;
}

static void profil_release(struct kref *ref)
{
	struct profil *p = container_of(ref, struct profil, ref);

	might_sleep();
	/* A callback or a call may outlive the mapping, but the run is not live. */
	WARN_ON_ONCE(p->live || p->next || p->callbacks.settler);
	profil_run_put(p->run);
	profil_slots_free(&p->slots);
	profil_stacks_free(p->stacks);
	profil_table_put(p->table);
	__free_page(p->page);
	profil_quota_uncharge(p->user);
	mmdrop(p->mm);
	kfree_rcu(p, rcu);
	/* Pairs with synchronize_rcu_tasks() in profil_exit(). */
	module_put(THIS_MODULE);
}

/* Drop a reference, where the last one may sleep: not in a tick. */
void profil_put(struct profil *p)
{
	kref_put(&p->ref, profil_release);
}

/*
 * A profile for @mm that nobody finds yet, charged to the current user; the caller
 * owns the reference. Error pointers: EDQUOT, ENOMEM.
 */
struct profil *profil_alloc(struct mm_struct *mm)
{
	struct profil *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	/* docs/security.md says what a profile takes. */
	BUILD_BUG_ON(sizeof(*p) > 4096);
	if (!p)
		return ERR_PTR(-ENOMEM);
	p->user = profil_quota_charge();
	if (IS_ERR(p->user)) {
		err = PTR_ERR(p->user);
		goto free;
	}
	p->page = alloc_page(PROFIL_GFP_MAPPED | __GFP_ZERO);
	if (!p->page)
		goto uncharge;
	if (!profil_slots_alloc(&p->slots))
		goto free_page;
	p->status = page_address(p->page);
	p->status->size = sizeof(*p->status);
	kref_init(&p->ref);
	mutex_init(&p->control);
	raw_spin_lock_init(&p->lock);
	mmgrab(mm);
	p->mm = mm;
	/* The mapping's file holds it now. */
	__module_get(THIS_MODULE);
	return p;
free_page:
	__free_page(p->page);
uncharge:
	profil_quota_uncharge(p->user);
free:
	kfree(p);
	return ERR_PTR(err);
}

/* From now on @p is found. */
void profil_hash(struct profil *p)
{
	spin_lock(&profiles_lock);
	hlist_add_head_rcu(&p->node, profil_chain(p->mm));
	spin_unlock(&profiles_lock);
}

/* Who has found @p before may still be using it, under RCU. */
void profil_unhash(struct profil *p)
{
	spin_lock(&profiles_lock);
	hlist_del_rcu(&p->node);
	spin_unlock(&profiles_lock);
}

/* Each stage is entered from certain others only. */
void profil_set_stage(struct profil *p, enum profil_stage to)
{
	static const u8 from[] = {
		[PROFIL_STOPPED]	= BIT(PROFIL_STOPPING),
		[PROFIL_LIVE]		= BIT(PROFIL_STOPPED),
		[PROFIL_STOPPING]	= BIT(PROFIL_LIVE),
		[PROFIL_CLOSED]		= BIT(PROFIL_STOPPED) | BIT(PROFIL_LIVE) |
					  BIT(PROFIL_STOPPING),
	};

	lockdep_assert_held(&p->lock);
	WARN_ON_ONCE(!(from[to] & BIT(p->stage)));
	p->stage = to;
}

/* The status page shows @run, on and without a tick so far. */
void profil_status_reset(struct profil *p, const struct profil_run *run)
{
	*p->status = (struct profil_status) {
		.size		= sizeof(*p->status),
		.mode		= run->mode,
		.state		= PROFIL_STATE_ON,
		.rate		= run->rate,
		.flags		= run->flags,
		.tag		= run->tag,
		.period_ns	= profil_rate_period(run->rate),
		.nsamples	= profil_run_nsamples(run),
	};
}

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
#include "stacks.h"

struct hlist_head profil_profiles[1 << PROFIL_HASH_BITS];
static DEFINE_SPINLOCK(profiles_lock);

/* The process's profile, as profil_find(). */
struct profil *profil_find_process(const struct mm_struct *mm)
{
	struct profil *p;

	hlist_for_each_entry_rcu(p, profil_chain(mm), node)
		if (p->mm == mm && !p->own)
			return p;
	return NULL;
}

/* The own profile of @t, who uses @mm or will, likewise. */
struct profil *profil_find_thread(const struct mm_struct *mm,
				  const struct task_struct *t)
{
	struct profil *p;

	hlist_for_each_entry_rcu(p, profil_chain(mm), node)
		if (p->mm == mm && p->own && profil_is_of(p, t))
			return p;
	return NULL;
}

/* How many threads of @mm have profiles; under RCU, or @profiles_lock. */
unsigned int profil_threads(const struct mm_struct *mm)
{
	unsigned int n = 0;
	struct profil *p;

	hlist_for_each_entry_rcu(p, profil_chain(mm), node,
				 lockdep_is_held(&profiles_lock))
		n += p->mm == mm && p->own;
	return n;
}

/*
 * The fork that made @p could not know the thread's number. From now on a task
 * that gets its structure when it is gone is not taken for it. It may be the
 * thread's tick that interrupts the thread here.
 */
static void profil_claim(struct profil *p)
{
	struct pid *pid;

	if (READ_ONCE(p->thread))
		return;
	pid = get_pid(task_pid(current));
	if (cmpxchg(&p->thread, NULL, pid))
		put_pid(pid);
}

/*
 * The profile that ticks of @t are charged to, where threads have their own, as
 * profil_find(). One that has ended by itself is still the thread's; when a call
 * has stopped it, it has no run, and none to come: only the thread starts one, and
 * its ticks come in between.
 */
struct profil *profil_find_task(struct task_struct *t)
{
	struct profil *p = profil_find_thread(t->mm, t);

	if (p && t == current)
		profil_claim(p);
	if (p && (READ_ONCE(p->run) || READ_ONCE(p->next)))
		return p;
	return profil_find_process(t->mm);
}

/* The process's profile with a reference, or NULL. */
struct profil *profil_get(struct mm_struct *mm)
{
	struct profil *p;

	rcu_read_lock();
	p = profil_find_process(mm);
	if (p && !kref_get_unless_zero(&p->ref))
		p = NULL;
	rcu_read_unlock();
	return p;
}

/* The calling thread's own profile with a reference, or NULL. */
struct profil *profil_get_own(void)
{
	struct profil *p;

	rcu_read_lock();
	p = profil_find_thread(current->mm, current);
	if (p) {
		profil_claim(p);
		if (!kref_get_unless_zero(&p->ref))
			p = NULL;
	}
	rcu_read_unlock();
	return p;
}

static void profil_release(struct kref *ref)
{
	struct profil *p = container_of(ref, struct profil, ref);

	/* A callback or a call may outlive the mapping, but the run is not live. */
	WARN_ON_ONCE(p->live || p->next || p->callbacks.settler);
	profil_run_put(p->run);
	profil_slots_free(&p->slots);
	profil_stacks_free(p->stacks);
	profil_table_put(p->table);
	__free_page(p->page);
	profil_quota_uncharge(p->user);
	put_pid(p->thread);
	mmdrop(p->mm);
	kfree_rcu(p, rcu);
	/* Pairs with synchronize_rcu_tasks() in profil_exit(). */
	module_put(THIS_MODULE);
}

/* Drop a reference; not in a tick. */
void profil_put(struct profil *p)
{
	might_sleep();
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

/* Profiles of @mm have come or gone: do ticks have to look whose they are? */
static void profil_divide(const struct mm_struct *mm)
{
	bool divided = profil_threads(mm);
	struct profil *p;

	lockdep_assert_held(&profiles_lock);
	hlist_for_each_entry(p, profil_chain(mm), node)
		if (p->mm == mm)
			WRITE_ONCE(p->divided, divided);
}

/* From now on @p is found. */
void profil_hash(struct profil *p)
{
	spin_lock(&profiles_lock);
	/* Ticks find it first, on other CPUs at once. */
	p->divided = p->own || profil_threads(p->mm);
	hlist_add_head_rcu(&p->node, profil_chain(p->mm));
	profil_divide(p->mm);
	spin_unlock(&profiles_lock);
}

/* Who has found @p before may still be using it, under RCU. */
void profil_unhash(struct profil *p)
{
	spin_lock(&profiles_lock);
	hlist_del_rcu(&p->node);
	profil_divide(p->mm);
	spin_unlock(&profiles_lock);
}

/* The thread whose @p is runs no more in this memory, and never will. */
static bool profil_is_left(const struct profil *p)
{
	const struct task_struct *t;
	bool left;

	/* That it is not given to another thread, and its number freed. */
	lockdep_assert_held(&profiles_lock);
	if (!p->own)
		return false;
	/* It never had a tick; who claims it owns the memory, and is not gone. */
	if (!READ_ONCE(p->thread))
		return profil_mm_owner(p->mm) != p->newborn;
	rcu_read_lock();
	t = pid_task(p->thread, PIDTYPE_PID);
	left = !t || READ_ONCE(t->mm) != p->mm;
	rcu_read_unlock();
	return left;
}

/*
 * Of the profiles that threads of the caller's process have left behind, the
 * oldest, with a reference, or NULL.
 */
struct profil *profil_get_left(void)
{
	struct profil *p, *found = NULL;

	spin_lock(&profiles_lock);
	hlist_for_each_entry(p, profil_chain(current->mm), node)
		if (p->mm == current->mm && profil_is_left(p))
			found = p;
	/* The hash has a reference: its mapping's. */
	if (found)
		kref_get(&found->ref);
	spin_unlock(&profiles_lock);
	return found;
}

/* @p becomes the calling thread's own, if it is still one that was left behind. */
bool profil_adopt(struct profil *p)
{
	struct pid *pid = get_pid(task_pid(current));
	bool left;

	spin_lock(&profiles_lock);
	left = profil_is_left(p);
	if (left) {
		struct pid *mine = pid;

		pid = p->thread;
		/* profil_is_of() looks without the lock. */
		WRITE_ONCE(p->thread, mine);
	}
	spin_unlock(&profiles_lock);
	put_pid(pid);
	return left;
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

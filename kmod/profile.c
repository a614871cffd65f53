// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profile of an address space, from its mapping to its unmapping.
 *
 * It lives as long as the process maps the page of /dev/profil. The
 * mapping's open() gives a fork child a profile of its own; its close(), on
 * munmap, exec and exit, ends it. Both run while nobody else can change the
 * mappings, and must not wait for anything that takes the mmap lock: not for
 * @control, and not for whoever settles what waits.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "ahead.h"
#include "clock.h"
#include "compat.h"
#include "delay.h"
#include "limit.h"
#include "live.h"
#include "profile.h"
#include "run.h"

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

	/* A callback or a call may outlive the mapping, but the run is not live. */
	WARN_ON_ONCE(p->live || p->next || p->callbacks.settler);
	profil_run_put(p->run);
	profil_defer_free(p);
	__free_page(p->page);
	profil_limit_uncharge(p->user);
	mmdrop(p->mm);
	kfree_rcu(p, rcu);
	/* Pairs with synchronize_rcu_tasks() in profil_exit(). */
	module_put(THIS_MODULE);
}

void profil_put(struct profil *p)
{
	kref_put(&p->ref, profil_release);
}

static struct profil *profil_alloc(struct mm_struct *mm)
{
	struct profil *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	/* docs/security.md says what a profile takes. */
	BUILD_BUG_ON(sizeof(*p) > 4096);
	if (!p)
		return ERR_PTR(-ENOMEM);
	p->user = profil_limit_charge();
	if (IS_ERR(p->user)) {
		err = PTR_ERR(p->user);
		goto free;
	}
	p->page = alloc_page(PROFIL_GFP_MAPPED | __GFP_ZERO);
	if (!p->page)
		goto uncharge;
	if (!profil_defer_init(p))
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
	profil_limit_uncharge(p->user);
free:
	kfree(p);
	return ERR_PTR(err);
}

/*
 * @nmaps and @addr change with the mappings. Of those that change them, one at a
 * time has the mmap lock: munmap() has downgraded it to a read lock, but lets
 * no writer in. Nobody needs it once the last user of the address space is gone.
 */
static void profil_assert_mapping(struct profil *p)
{
	if (atomic_read(&p->mm->mm_users))
		mmap_assert_locked(p->mm);
}

static void profil_hash(struct profil *p)
{
	spin_lock(&profiles_lock);
	hlist_add_head_rcu(&p->node, profil_chain(p->mm));
	spin_unlock(&profiles_lock);
}

static void profil_unhash(struct profil *p)
{
	spin_lock(&profiles_lock);
	hlist_del_rcu(&p->node);
	spin_unlock(&profiles_lock);
}

/*
 * A profile for @mm, whose mmap write lock is held. The caller's mapping at
 * @addr owns the reference.
 */
struct profil *profil_create(struct mm_struct *mm, unsigned long addr)
{
	struct profil *p;

	mmap_assert_write_locked(mm);
	rcu_read_lock();
	p = profil_find(mm);
	rcu_read_unlock();
	if (p)
		return ERR_PTR(-EBUSY);
	p = profil_alloc(mm);
	if (IS_ERR(p))
		return p;
	p->nmaps = 1;
	p->addr = addr;
	profil_hash(p);
	return p;
}

/* --- starting and stopping --------------------------------------------------- */

static void profil_set_stage(struct profil *p, enum profil_stage to)
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

/* The counts of @p so far; exact if nothing is live and nothing waits. */
static void profil_read_status(struct profil *p, struct profil_status *status)
{
	lockdep_assert_held(&p->lock);
	*status = *p->status;
	status->nsamples = p->run ? profil_run_nsamples(p->run) : 0;
}

/* What waits when it is called is in it, done; a carry may be left. 0 or -EINTR. */
int profil_get_status(struct profil *p, struct profil_status *status)
{
	int err = profil_settle(p, PROFIL_WAIT);

	if (err)
		return err;
	raw_spin_lock_irq(&p->lock);
	profil_read_status(p, status);
	raw_spin_unlock_irq(&p->lock);
	return 0;
}

static void profil_status_reset(struct profil *p, const struct profil_run *run)
{
	*p->status = (struct profil_status) {
		.size		= sizeof(*p->status),
		.mode		= run->mode,
		.state		= PROFIL_STATE_ON,
		.rate		= run->rate,
		.flags		= run->flags,
		.tag		= run->tag,
		.period_ns	= profil_clock_period(run->rate),
		.nsamples	= profil_run_nsamples(run),
	};
}

/*
 * Let no tick begin for @p's run, and wait for those that have begun: they have
 * written, or wait. False if there is no run.
 */
static bool profil_quiesce(struct profil *p)
{
	struct profil_run *run;

	lockdep_assert_held(&p->control);
	/* The run is replaced only under @control, and freed with the profile. */
	run = READ_ONCE(p->run);
	if (!run)
		return false;
	profil_unpublish(p, run, PROFIL_STATE_OFF);
	profil_drain(p);
	profil_delay();
	raw_spin_lock_irq(&p->lock);
	if (p->stage == PROFIL_LIVE)
		profil_set_stage(p, PROFIL_STOPPING);
	raw_spin_unlock_irq(&p->lock);
	return true;
}

/*
 * The slots are empty: end the run, if the address space is not closed, and
 * report it. When the lock is released, nobody writes for it any more.
 */
static void profil_end_run(struct profil *p, struct profil_status *last)
{
	struct profil_run *run = NULL;

	raw_spin_lock_irq(&p->lock);
	profil_read_status(p, last);
	if (p->stage == PROFIL_STOPPING) {
		WARN_ON_ONCE(p->defer.n || p->live);
		profil_set_stage(p, PROFIL_STOPPED);
		swap(run, p->run);
		p->status->state = PROFIL_STATE_OFF;
		p->status->nsamples = 0;
	}
	raw_spin_unlock_irq(&p->lock);
	profil_run_put(run);
}

/*
 * Let forks end that have given the run to a child: once the call returns, the
 * buffers are the caller's again, and may be something else in what a fork has
 * not copied yet. A fork keeps the mmap lock until it has copied all. 0 or
 * -EINTR.
 */
static int profil_wait_for_forks(struct profil *p)
{
	int err;

	lockdep_assert_held(&p->control);
	/* Only under @control it is cleared; a later fork does not find the run live. */
	if (!READ_ONCE(p->forked))
		return 0;
	err = mmap_read_lock_killable(p->mm);
	if (err)
		return err;
	raw_spin_lock_irq(&p->lock);
	p->forked = false;
	raw_spin_unlock_irq(&p->lock);
	mmap_read_unlock(p->mm);
	return 0;
}

/**
 * profil_stop() - stop what runs, for good.
 * @p:    the profile of the caller's address space; @control is held
 * @last: out: its final counts
 *
 * Return: 0; -EINTR: a fatal signal; ticks have stopped, what waits is left to
 * the next call.
 */
int profil_stop(struct profil *p, struct profil_status *last)
{
	int err;

	might_sleep();
	if (profil_quiesce(p)) {
		err = profil_settle(p, PROFIL_WAIT) ?: profil_wait_for_forks(p);
		if (err)
			return err;
		profil_delay();
	}
	profil_end_run(p, last);
	return 0;
}

static void profil_set_next(struct profil *p, struct profil_run *run)
{
	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(run && p->next);
	p->next = run;
	raw_spin_unlock_irq(&p->lock);
}

/**
 * profil_start() - replace what runs.
 * @p:    the profile of the caller's address space; @control is held
 * @run:  what ticks see from now on, consumed if 0 is returned. Its clock has
 *        been taken.
 * @last: out: the final counts of what it replaces
 *
 * Return: 0; -ESTALE: the address space has closed the profile; -EINTR: as in
 * profil_stop().
 */
int profil_start(struct profil *p, struct profil_run *run, struct profil_status *last)
{
	int err;

	profil_set_next(p, run);
	err = profil_stop(p, last);
	if (err) {
		profil_set_next(p, NULL);
		return err;
	}
	raw_spin_lock_irq(&p->lock);
	p->next = NULL;
	if (p->stage == PROFIL_CLOSED) {
		err = -ESTALE;
	} else {
		profil_set_stage(p, PROFIL_LIVE);
		p->run = run;
		profil_status_reset(p, run);
		profil_publish(p, run);
	}
	raw_spin_unlock_irq(&p->lock);
	if (!err)
		profil_ahead(p, PROFIL_WAIT);
	return err;
}

/* --- the mapping --------------------------------------------------------------- */

/*
 * What a child of @parent is to run, with a reference, or NULL; and the state
 * that it begins with. If that is PROFIL_STATE_ON, the run's clock is taken.
 */
static struct profil_run *profil_branch(struct profil *parent, u32 *state)
{
	struct profil_run *run;

	/* The caller's fork is what profil_wait_for_forks() waits for. */
	mmap_assert_write_locked(parent->mm);
	raw_spin_lock_irq(&parent->lock);
	run = parent->next ?: parent->run;
	if (run) {
		kref_get(&run->ref);
		/*
		 * If it is live after we took the clock, the clock's count did not
		 * pass through 0 since the parent took it: it is armed. And who
		 * starts the next one holds its clock.
		 */
		profil_clock_get(run->rate);
		if (run == parent->next || READ_ONCE(parent->live) == run) {
			parent->forked = true;
			*state = PROFIL_STATE_ON;
		} else {
			profil_clock_put(run->rate);
			/* Whoever took it away has yet to write why, if it is on. */
			*state = READ_ONCE(parent->status->state);
			if (*state == PROFIL_STATE_ON)
				*state = PROFIL_STATE_OFF;
		}
	}
	raw_spin_unlock_irq(&parent->lock);
	return run;
}

/*
 * Where the child's sample array goes on: what lies below is in memory. Samples
 * in flight when the position was read have been stored, or wait, once they are
 * drained; and what waits, the child's memory will not have.
 */
static u64 profil_child_position(struct profil *parent, const struct profil_run *run)
{
	u64 position = profil_run_nsamples(run);

	profil_drain(parent);
	raw_spin_lock_irq(&parent->lock);
	/* If it has been stopped meanwhile, what waited has been settled. */
	if (parent->run == run)
		position = profil_defer_lowest(parent, position);
	raw_spin_unlock_irq(&parent->lock);
	return position;
}

/*
 * What @parent runs, or is about to run, goes on in @child: the same regions, and
 * the position in the sample array. What waits is the parent's own. Fails only
 * for want of memory.
 */
static int profil_inherit(struct profil *child, struct profil *parent)
{
	struct profil_run *from, *run;
	u32 state;

	from = profil_branch(parent, &state);
	if (!from)
		return 0;
	run = profil_run_fork(from);
	if (!run) {
		if (state == PROFIL_STATE_ON)
			profil_clock_put(from->rate);
		profil_run_put(from);
		return -ENOMEM;
	}
	if (run->mode == PROFIL_MODE_SAMPLES)
		atomic64_set(&run->position, profil_child_position(parent, from));
	profil_run_put(from);
	raw_spin_lock_irq(&child->lock);
	profil_set_stage(child, PROFIL_LIVE);
	child->run = run;
	profil_status_reset(child, run);
	child->status->state = state;
	if (state == PROFIL_STATE_ON)
		profil_publish(child, run);
	raw_spin_unlock_irq(&child->lock);
	return 0;
}

/*
 * The mapping is copied: into a fork child, or within the address space by
 * mremap(). Without memory, or above its user's limit, the child runs
 * unprofiled, and its page says so. A fork may fail after this: nothing here may
 * outlive the child's mapping.
 */
static void profil_vm_open(struct vm_area_struct *vma)
{
	struct profil *from = vma->vm_private_data, *p;

	if (!from)
		return;
	/* The mmap write lock keeps it. */
	mmap_assert_write_locked(vma->vm_mm);
	rcu_read_lock();
	p = profil_find(vma->vm_mm);
	rcu_read_unlock();
	if (p) {
		p->nmaps++;
		p->addr = vma->vm_start;
		vma->vm_private_data = p;
		return;
	}
	vma->vm_private_data = NULL;
	p = profil_alloc(vma->vm_mm);
	if (IS_ERR(p))
		return;
	p->nmaps = 1;
	p->addr = vma->vm_start;
	if (profil_inherit(p, from)) {
		profil_put(p);
		return;
	}
	vma->vm_private_data = p;
	profil_hash(p);
	profil_limit_recheck(p);
}

/*
 * The end. Once it is closed under the lock, nothing is written for what waits,
 * and nothing is started; who settles or stops at this moment finds that out
 * there, and is not waited for.
 */
static void profil_close(struct profil *p)
{
	struct profil_run *run;

	raw_spin_lock_irq(&p->lock);
	profil_set_stage(p, PROFIL_CLOSED);
	run = p->run;
	profil_defer_drop(p);
	raw_spin_unlock_irq(&p->lock);
	if (run)
		profil_unpublish(p, run, PROFIL_STATE_OFF);
	/* Nobody can enter any more: not live, and soon not in the hash. */
	profil_drain(p);
}

static void profil_vm_close(struct vm_area_struct *vma)
{
	struct profil *p = vma->vm_private_data;

	if (!p)
		return;
	profil_assert_mapping(p);
	if (WARN_ON_ONCE(!p->nmaps))
		return;
	if (--p->nmaps) {
		if (p->addr == vma->vm_start)
			p->addr = 0;
		return;
	}
	profil_unhash(p);
	profil_close(p);
	profil_put(p);
}

static vm_fault_t profil_vm_fault(struct vm_fault *vmf)
{
	struct profil *p = vmf->vma->vm_private_data;

	vmf->page = p ? p->page : profil_limit_page();
	get_page(vmf->page);
	return 0;
}

const struct vm_operations_struct profil_vm_ops = {
	.open	= profil_vm_open,
	.close	= profil_vm_close,
	.fault	= profil_vm_fault,
};

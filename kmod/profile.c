// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profile of an address space: who finds it, how long it lives, how it
 * starts and how it stops.
 *
 * A profile lives as long as its mm maps the page of /dev/profil. The
 * mapping's open() gives a fork child a profile of its own; its close(), on
 * munmap, exec and exit, ends it. Both run under the mmap write lock and must
 * not wait for anything that takes the mmap lock: not for @control, not for
 * the deferral worker.
 *
 * The tick finds a profile in the hash under RCU (interrupts are off), enters
 * it by naming it in profil_inflight, and only then looks at what is live in
 * it. Who takes something away from the tick changes the profile first and
 * then waits until no CPU names it: microseconds, where a grace period would
 * be milliseconds.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "clock.h"
#include "compat.h"
#include "limit.h"
#include "profile.h"
#include "run.h"

struct hlist_head profil_profiles[1 << PROFIL_HASH_BITS];
static DEFINE_SPINLOCK(profiles_lock);

DEFINE_PER_CPU(struct profil *, profil_inflight);

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

/* Wait until no CPU is writing for @p on the strength of what it saw before. */
static void profil_drain(struct profil *p)
{
	int cpu;

	/* Pairs with profil_enter(). */
	smp_mb();
	for_each_possible_cpu(cpu) {
		/* Pairs with profil_leave(). */
		while (smp_load_acquire(per_cpu_ptr(&profil_inflight, cpu)) == p)
			cpu_relax();
	}
}

/*
 * Take @run away from the ticks that come from now on. True for the one caller
 * that did it. Any context; what is in flight is profil_drain()'s business.
 */
bool profil_unpublish(struct profil *p, struct profil_run *run, u32 state)
{
	if (cmpxchg(&p->live, run, NULL) != run)
		return false;
	WRITE_ONCE(p->status->state, state);
	profil_clock_put(run->rate);
	return true;
}

static void profil_release(struct kref *ref)
{
	struct profil *p = container_of(ref, struct profil, ref);

	/*
	 * Live only if it was started while another thread unmapped the page; a
	 * tick that found it just before may still be at work.
	 */
	if (p->run && profil_unpublish(p, p->run, PROFIL_STATE_OFF))
		profil_drain(p);
	profil_run_free(p->run);
	profil_defer_free(p);
	__free_page(p->page);
	profil_limit_uncharge(p->user);
	mmdrop(p->mm);
	kfree_rcu(p, rcu);
}

void profil_put(struct profil *p)
{
	kref_put(&p->ref, profil_release);
}

static struct profil *profil_alloc(struct mm_struct *mm)
{
	struct profil *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

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
	mutex_init(&p->lock);
	mmgrab(mm);
	p->mm = mm;
	return p;
free_page:
	__free_page(p->page);
uncharge:
	profil_limit_uncharge(p->user);
free:
	kfree(p);
	return ERR_PTR(err);
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
 * A profile for @mm, whose mmap write lock is held. The caller's mapping owns
 * the reference.
 */
struct profil *profil_create(struct mm_struct *mm)
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
	profil_hash(p);
	return p;
}

/* The counts of @p so far; exact if nothing is live. */
void profil_get_status(struct profil *p, struct profil_status *status)
{
	mutex_lock(&p->lock);
	*status = *p->status;
	status->nsamples = p->run ? profil_run_nsamples(p->run) : 0;
	mutex_unlock(&p->lock);
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

/* Stop what runs, for good: @p->run has its final counts. */
static void profil_quiesce(struct profil *p)
{
	lockdep_assert_held(&p->control);
	if (!p->run)
		return;
	profil_unpublish(p, p->run, PROFIL_STATE_OFF);
	profil_defer_hold(p);
	profil_drain(p);
	profil_defer_flush(p, p->run);
}

/*
 * Replace what runs by @run, which ticks see from now on, and report what it
 * replaces. The clock for @run has been taken.
 */
void profil_start(struct profil *p, struct profil_run *run,
		  struct profil_status *last)
{
	struct profil_run *old;

	might_sleep();
	profil_quiesce(p);
	profil_get_status(p, last);

	mutex_lock(&p->lock);
	old = p->run;
	p->run = run;
	profil_status_reset(p, run);
	profil_defer_release(p);
	/* Pairs with the address dependency on READ_ONCE() in profil_enter(). */
	smp_store_release(&p->live, run);
	mutex_unlock(&p->lock);
	profil_run_free(old);
}

void profil_stop(struct profil *p, struct profil_status *last)
{
	struct profil_run *old;

	might_sleep();
	profil_quiesce(p);
	profil_get_status(p, last);

	mutex_lock(&p->lock);
	old = p->run;
	p->run = NULL;
	p->status->state = PROFIL_STATE_OFF;
	p->status->nsamples = 0;
	mutex_unlock(&p->lock);
	profil_run_free(old);
}

/*
 * What @parent runs goes on in @child: the same regions, and the position in
 * the sample array. Fails only for want of memory.
 */
static int profil_inherit(struct profil *child, struct profil *parent)
{
	struct profil_run *run;
	int err = 0;

	mutex_lock(&parent->lock);
	if (!parent->run)
		goto unlock;
	run = profil_run_fork(parent->run);
	if (!run) {
		err = -ENOMEM;
		goto unlock;
	}
	child->run = run;
	profil_status_reset(child, run);
	/*
	 * Updates in flight before the position was read have been stored, or
	 * wait in a slot, once they are drained.
	 */
	profil_drain(parent);
	profil_defer_inherit(child, parent, run);
	/*
	 * If the parent is live after we took the clock, the clock's count did
	 * not pass through 0 since the parent took it: it is armed.
	 */
	profil_clock_get(run->rate);
	if (READ_ONCE(parent->live)) {
		child->live = run;
	} else {
		profil_clock_put(run->rate);
		child->status->state = READ_ONCE(parent->status->state);
	}
unlock:
	mutex_unlock(&parent->lock);
	return err;
}

/*
 * The mapping is copied: into a fork child, or within the address space by
 * mremap(). Without memory, or above its user's limit, the child runs
 * unprofiled, and its page says so.
 */
static void profil_vm_open(struct vm_area_struct *vma)
{
	struct profil *from = vma->vm_private_data, *p;

	if (!from)
		return;
	/* The mmap write lock keeps it. */
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
	profil_defer_kick(p);
}

static void profil_vm_close(struct vm_area_struct *vma)
{
	struct profil *p = vma->vm_private_data;

	if (!p)
		return;
	if (--p->nmaps) {
		if (p->addr == vma->vm_start)
			p->addr = 0;
		return;
	}
	profil_unhash(p);
	mutex_lock(&p->lock);
	if (p->run)
		profil_unpublish(p, p->run, PROFIL_STATE_OFF);
	mutex_unlock(&p->lock);
	profil_defer_hold(p);
	/* Nobody can enter any more: not live, and soon not in the hash. */
	profil_drain(p);
	profil_defer_discard(p);
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

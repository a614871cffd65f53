// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mapping of /dev/profil, which is what a profile lives by: from mmap() to
 * munmap(), exec or exit.
 *
 * The mapping's open() gives a fork child a profile of its own; its close() ends
 * it. Both run while nobody else can change the mappings, and must not wait for
 * anything that takes the mmap lock: not for @control, and not for whoever
 * settles what waits.
 *
 * Layer: lifetime, on deferral.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/profil.h>

#include "compat.h"
#include "defer.h"
#include "enabled.h"
#include "fork.h"
#include "live.h"
#include "mapping.h"
#include "profile.h"
#include "run.h"
#include "stack_stream.h"

/* What a fork child's mapping shows that may not have a profile. */
static struct page *denied_page;

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

/* May there be another profile of @mm, for the calling thread alone if @own? */
static int profil_may_create(struct mm_struct *mm, bool own)
{
	struct profil *p;
	int err = 0;

	rcu_read_lock();
	p = own ? profil_find_thread(mm, current) : profil_find_process(mm);
	if (p)
		err = -EBUSY;
	else if (own && profil_threads(mm) >= PROFIL_THREADS_MAX)
		err = -EDQUOT;
	rcu_read_unlock();
	return err;
}

/*
 * A profile for @mm, whose mmap write lock is held, or if @own for the calling
 * thread alone. The caller's mapping at @addr owns the reference.
 */
struct profil *profil_create(struct mm_struct *mm, unsigned long addr, bool own)
{
	struct profil *p;
	int err;

	mmap_assert_write_locked(mm);
	err = profil_may_create(mm, own);
	if (err)
		return ERR_PTR(err);
	p = profil_alloc(mm);
	if (IS_ERR(p))
		return p;
	if (own) {
		p->own = true;
		p->thread = get_pid(task_pid(current));
	}
	p->nmaps = 1;
	p->addr = addr;
	profil_hash(p);
	return p;
}

/* The profile of @mm that is, or has been made from, @from; or NULL. */
static struct profil *profil_copied(struct mm_struct *mm, struct profil *from)
{
	struct profil *p;

	if (from->mm == mm)
		return from;
	rcu_read_lock();
	p = from->own ? profil_find_thread(mm, profil_mm_owner(mm))
		      : profil_find_process(mm);
	rcu_read_unlock();
	return p;
}

/*
 * Can a fork child that is to have @mm have a profile like @from? The only thread
 * that goes on in it is the caller's copy.
 */
static bool profil_is_copied(struct mm_struct *mm, struct profil *from)
{
	if (from->mm == mm || !from->own)
		return true;
	return profil_mm_owner(mm) && profil_is_of(from, current);
}

/*
 * The mapping is copied: into a fork child, or within the address space by
 * mremap(). Without memory, or above its user's limit, the child runs
 * unprofiled, and its page says so. A fork may fail after this: nothing here may
 * outlive the child's mapping, and nothing holds the child's thread, whose memory
 * is freed then whoever does.
 */
static void profil_vm_open(struct vm_area_struct *vma)
{
	struct profil *from = vma->vm_private_data, *p;

	if (!from)
		return;
	/* The mmap write lock keeps it. */
	mmap_assert_write_locked(vma->vm_mm);
	vma->vm_private_data = NULL;
	if (!profil_is_copied(vma->vm_mm, from))
		return;
	p = profil_copied(vma->vm_mm, from);
	if (p) {
		p->nmaps++;
		WRITE_ONCE(p->addr, vma->vm_start);
		vma->vm_private_data = p;
		return;
	}
	p = profil_alloc(vma->vm_mm);
	if (IS_ERR(p))
		return;
	p->own = from->own;
	if (p->own)
		p->newborn = profil_mm_owner(vma->vm_mm);
	p->nmaps = 1;
	p->addr = vma->vm_start;
	if (profil_inherit(p, from)) {
		profil_put(p);
		return;
	}
	vma->vm_private_data = p;
	profil_hash(p);
	profil_enabled_recheck(p);
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
	profil_stack_stream_drop(p);
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
			WRITE_ONCE(p->addr, 0);
		return;
	}
	profil_unhash(p);
	profil_close(p);
	profil_put(p);
}

static vm_fault_t profil_vm_fault(struct vm_fault *vmf)
{
	struct profil *p = vmf->vma->vm_private_data;

	vmf->page = p ? p->page : denied_page;
	get_page(vmf->page);
	return 0;
}

const struct vm_operations_struct profil_vm_ops = {
	.open	= profil_vm_open,
	.close	= profil_vm_close,
	.fault	= profil_vm_fault,
};

/*
 * The profile whose page is mapped at @addr in the caller's memory, with a
 * reference; NULL if that page has none. Error pointers: EINVAL, there is no
 * such page; EINTR.
 */
struct profil *profil_get_at(unsigned long addr)
{
	struct profil *p = ERR_PTR(-EINVAL);
	struct vm_area_struct *vma;

	if (mmap_read_lock_killable(current->mm))
		return ERR_PTR(-EINTR);
	vma = vma_lookup(current->mm, addr);
	if (vma && vma->vm_start == addr && vma->vm_ops == &profil_vm_ops) {
		p = vma->vm_private_data;
		if (p)
			kref_get(&p->ref);
	}
	mmap_read_unlock(current->mm);
	return p;
}

int profil_mapping_init(void)
{
	struct profil_status *status;

	denied_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!denied_page)
		return -ENOMEM;
	status = page_address(denied_page);
	status->size = sizeof(*status);
	status->state = PROFIL_STATE_DENIED;
	return 0;
}

/* Every mapping held the module. */
void profil_mapping_exit(void)
{
	__free_page(denied_page);
}

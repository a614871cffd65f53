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
		WRITE_ONCE(p->addr, vma->vm_start);
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
	profil_stacks_drop(p);
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

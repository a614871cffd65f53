// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mapping of /dev/profil. A profile exists as long as its mapping, from mmap()
 * to munmap(), exec or exit. A process has one mapping for its profile and one for
 * each thread's profile; they do not move.
 *
 * The mapping's open() gives a fork child a profile; its close() ends a profile.
 * open() runs under the mmap write lock, close() in munmap() perhaps only under the
 * read lock. So they must not wait for a task that takes the mmap lock: not for
 * @control, and not for a thread that applies updates.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>

#include "stack/stack.h"
#include "tick/tick.h"
#include "update/update.h"

/* The page of a fork child that has no profile. */
static struct page *denied_page;

/*
 * Make a profile for the caller's process, or if @own for the calling thread. The
 * new mapping at @addr owns the reference.
 */
struct profil *profil_mapping_create(unsigned long addr, bool own)
{
	struct profil *p;
	int err;

	mmap_assert_write_locked(current->mm);
	err = profil_may_create(own);
	if (err)
		return ERR_PTR(err);
	p = profil_alloc(current->mm, addr);
	if (IS_ERR(p))
		return p;
	if (own)
		p->thread = get_pid(task_pid(current));
	profil_hash(p);
	return p;
}

/*
 * The run that a child of @parent continues, with a reference, and the state that the
 * child begins with. NULL: the child's profile is off.
 */
static struct profil_run *branch(struct profil *parent, u32 *state)
{
	struct profil_run *run;

	/* A stop waits for this fork: see wait_for_forks() in start_stop.c. */
	mmap_assert_write_locked(parent->mm);
	raw_spin_lock_irq(&parent->lock);
	run = parent->next ?: parent->run;
	if (run && run->flags & PROFIL_DONTFORK) {
		run = NULL;
	} else if (run) {
		kref_get(&run->ref);
		if (run == parent->next || READ_ONCE(parent->live) == run) {
			WRITE_ONCE(parent->forked, true);
			*state = PROFIL_STATE_ON;
		} else {
			/* ON: the code that took the run away writes the state next. */
			*state = READ_ONCE(parent->status->state);
			if (*state == PROFIL_STATE_ON)
				*state = PROFIL_STATE_OFF;
		}
	}
	raw_spin_unlock_irq(&parent->lock);
	return run;
}

/*
 * The position at which the child's sample array continues: all samples below it are
 * in memory. After the drain, each sample below the parent's position is stored or
 * deferred. The child's copy of the memory does not get deferred samples.
 */
static u64 child_position(struct profil *parent, const struct profil_run *run)
{
	u64 position = profil_run_nsamples(run);

	profil_drain(parent);
	raw_spin_lock_irq(&parent->lock);
	/* If it has been stopped meanwhile, its updates have been applied. */
	if (parent->run == run)
		position = profil_update_lowest(parent, position);
	raw_spin_unlock_irq(&parent->lock);
	return position;
}

/*
 * Let @child continue the run of @parent, or its next run, with the same regions or at
 * the position in the sample array. Deferred updates stay with the parent. 0 or
 * -ENOMEM.
 */
static int inherit(struct profil *child, struct profil *parent)
{
	struct profil_run *from, *run;
	u32 state;

	mmap_assert_write_locked(parent->mm);
	if (PROFIL_HAS_STACKS)
		profil_object_table_inherit(child, parent->mm);
	from = branch(parent, &state);
	if (!from)
		return 0;
	run = profil_run_fork(from);
	if (!run) {
		profil_run_put(from);
		return -ENOMEM;
	}
	if (run->mode == PROFIL_MODE_SAMPLES)
		atomic64_set(&run->position, child_position(parent, from));
	profil_run_put(from);
	/* A child has one thread, so a thread's profile becomes its process's. */
	run->flags &= ~PROFIL_THREAD;
	/* Without memory for stacks, its ticks are counted as stackless. */
	if (profil_stack_has(run))
		profil_stack_prepare(child, run);
	raw_spin_lock_irq(&child->lock);
	profil_set_stage(child, PROFIL_LIVE);
	child->run = run;
	profil_status_reset(child, run);
	child->status->state = state;
	if (profil_stack_has(run))
		profil_stack_begin(child, run);
	if (state == PROFIL_STATE_ON)
		profil_publish(child, run);
	raw_spin_unlock_irq(&child->lock);
	return 0;
}

/*
 * Does the fork child with @mm continue @from? Yes if the child has no profile yet,
 * and the ticks of the forking thread are charged to @from.
 */
static bool is_inherited(const struct profil *from, const struct mm_struct *mm)
{
	bool is;

	rcu_read_lock();
	is = !profil_find(mm) && from == profil_find_of(from->mm, current);
	rcu_read_unlock();
	return is;
}

/*
 * Fork copies the mappings into a child, and calls this for each. The child continues
 * the profile that the forking thread's ticks are charged to, at that profile's page.
 * All other pages show that they have no profile. So does this page if memory is short
 * or the user is at the limit.
 *
 * Another thread may stop a profile between two of these calls. Even so, the child
 * never gets two profiles. It may get none, as after a fork while the process's profile
 * was stopped.
 *
 * mremap() also opens a copy, of the same memory. When vm_mremap() refuses, the kernel moves
 * the page back and closes the copy, which has no profile.
 */
static void vm_open(struct vm_area_struct *vma)
{
	struct profil *from = vma->vm_private_data, *p;

	vma->vm_private_data = NULL;
	if (!from || from->mm == vma->vm_mm)
		return;
	/* The mmap write lock keeps @from. */
	mmap_assert_write_locked(from->mm);
	if (!is_inherited(from, vma->vm_mm))
		return;
	p = profil_alloc(vma->vm_mm, vma->vm_start);
	if (IS_ERR(p))
		return;
	if (inherit(p, from)) {
		profil_put(p);
		return;
	}
	vma->vm_private_data = p;
	profil_hash(p);
	profil_admin_switch_recheck(p);
}

/* Programs keep the address that a start reported. */
static int vm_mremap(PROFIL_VM_MREMAP_ARGS)
{
	return -EINVAL;
}

/*
 * End the profile. Once it is closed under the lock, no update is written and no run
 * starts. A thread that applies updates or stops the profile sees that under the
 * lock, so there is no need to wait for it.
 */
static void close_profile(struct profil *p)
{
	raw_spin_lock_irq(&p->lock);
	profil_set_stage(p, PROFIL_CLOSED);
	if (p->run)
		profil_unpublish(p, p->run, PROFIL_STATE_OFF);
	profil_update_drop_all(p);
	raw_spin_unlock_irq(&p->lock);
	/* No tick enters any more: the profile is not live. */
	profil_drain(p);
}

static void vm_close(struct vm_area_struct *vma)
{
	struct profil *p = vma->vm_private_data;

	if (!p)
		return;
	profil_unhash(p);
	close_profile(p);
	/* The process's, of whatever rate, gets the thread's ticks again. */
	if (p->thread && current->mm == p->mm)
		profil_timer_live(PROFIL_RATE_FAST, 0);
	profil_put(p);
}

static vm_fault_t vm_fault(struct vm_fault *vmf)
{
	struct profil *p = vmf->vma->vm_private_data;

	vmf->page = p ? p->page : denied_page;
	get_page(vmf->page);
	return 0;
}

const struct vm_operations_struct profil_vm_ops = {
	.open	= vm_open,
	.close	= vm_close,
	.mremap	= vm_mremap,
	.fault	= vm_fault,
};

/*
 * The profile whose page is mapped at @addr in the caller's memory, with a
 * reference; NULL: the page has no profile. Error pointers: EINVAL, there is no such
 * page; EINTR.
 */
struct profil *profil_mapping_get_at(unsigned long addr)
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

/*
 * The profile of the caller's process, or if @own of the calling thread, with a
 * reference. If there is none, make the mapping that carries it. EBUSY from mmap():
 * another thread was first.
 */
struct profil *profil_mapping_get(struct file *file, bool own)
{
	unsigned long addr;
	struct profil *p;

	for (;;) {
		p = profil_get(own);
		if (p)
			return p;
		if (fatal_signal_pending(current))
			return ERR_PTR(-EINTR);
		addr = vm_mmap(file, 0, PAGE_SIZE, PROT_READ, MAP_SHARED,
			       own ? PAGE_SIZE : 0);
		if (IS_ERR_VALUE(addr) && (long)addr != -EBUSY)
			return ERR_PTR(addr);
		cond_resched();
	}
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

/* Mappings hold the module, so none is left. */
void profil_mapping_exit(void)
{
	__free_page(denied_page);
}

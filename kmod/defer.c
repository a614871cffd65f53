// SPDX-License-Identifier: GPL-2.0-only
/*
 * Updates whose page was absent, or not writable as it was, when the tick came.
 *
 * The tick puts them into the profile's slots and queues the worker, which
 * brings the page in, as the process itself would have, and then updates it
 * without faulting, under the same rules as the tick. Whoever stops the
 * profile holds the slots first: the worker then leaves memory alone, and what
 * it has not done is applied by the stopping call, or discarded with the
 * address space.
 *
 * The pages of a sample array are needed one after another. When the samples
 * enter one, the worker is asked for the next ones, so that it need not be
 * quick.
 *
 * The slots are added to in the tick, under @lock; only one of the worker and
 * the holder takes from them at a time.
 */
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/magic.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/userfaultfd_k.h>

#include "compat.h"
#include "defer.h"
#include "profile.h"
#include "run.h"
#include "sample.h"

/* A page that is brought in may be gone before it is written to. */
#define PROFIL_DEFER_TRIES	16

static struct workqueue_struct *profil_wq;

/*
 * Queue the worker, which owns a reference to @p while it is queued or runs.
 * Caller knows that @p has others.
 */
static void profil_defer_queue(struct profil *p)
{
	kref_get(&p->ref);
	if (!queue_work(profil_wq, &p->defer.work))
		profil_put(p);
}

/* See that what waits, if anything, is not forgotten. */
void profil_defer_kick(struct profil *p)
{
	if (READ_ONCE(p->defer.n))
		profil_defer_queue(p);
}

/*
 * From the tick: the sample at @addr is the first that begins in its page, or
 * that is stored at all. Two that are late for the same page do no harm.
 */
void profil_defer_ahead(struct profil *p, struct profil_run *run, u64 addr)
{
	u64 next = (addr & PAGE_MASK) + PAGE_SIZE;

	WRITE_ONCE(run->ask, div_u64(next - run->buf + run->width - 1, run->width));
	WRITE_ONCE(p->defer.ahead, addr);
	profil_defer_queue(p);
}

/* Wait for the worker; true if it was queued and will not run now. */
static void profil_defer_cancel(struct profil *p)
{
	if (cancel_work_sync(&p->defer.work))
		profil_put(p);
}

/* The @i-th oldest slot, or the first free one. */
static struct profil_update *profil_defer_slot(struct profil_defer *d, unsigned int i)
{
	i += d->head;
	return &d->slot[i < PROFIL_DEFER_SLOTS ? i : i - PROFIL_DEFER_SLOTS];
}

static struct profil_update *profil_defer_match(struct profil_defer *d,
						const struct profil_update *update)
{
	struct profil_update *slot;
	unsigned int i;

	for (i = 0; i < d->n; i++) {
		slot = profil_defer_slot(d, i);
		if (slot->addr == update->addr && slot->index == update->index)
			return slot;
	}
	return NULL;
}

static bool profil_defer_append(struct profil_defer *d,
				const struct profil_update *update)
{
	if (d->n == PROFIL_DEFER_SLOTS)
		return false;
	*profil_defer_slot(d, d->n++) = *update;
	return true;
}

/*
 * Take @update over from the tick; false without room. More ticks for the same
 * counter share a slot; samples each have an address of their own.
 */
bool profil_defer_add(struct profil *p, const struct profil_run *run,
		      const struct profil_update *update)
{
	struct profil_defer *d = &p->defer;
	struct profil_update *slot = NULL;
	bool added = true;

	raw_spin_lock(&d->lock);
	if (run->mode == PROFIL_MODE_HISTOGRAM)
		slot = profil_defer_match(d, update);
	if (slot)
		slot->value += update->value;
	else
		added = profil_defer_append(d, update);
	raw_spin_unlock(&d->lock);

	profil_defer_queue(p);
	return added;
}

/* The oldest update that waits. */
static bool profil_defer_peek(struct profil_defer *d, struct profil_update *update)
{
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&d->lock, flags);
	found = d->n;
	if (found)
		*update = *profil_defer_slot(d, 0);
	raw_spin_unlock_irqrestore(&d->lock, flags);
	return found;
}

/*
 * One tick of the oldest update has been applied or, with @err, all of it is
 * given up. Called within profil_enter(), with the slots ours.
 */
static void profil_defer_done(struct profil *p, struct profil_run *run, int err)
{
	struct profil_defer *d = &p->defer;
	struct profil_update *slot, update;

	raw_spin_lock(&d->lock);
	slot = profil_defer_slot(d, 0);
	update = *slot;
	if (!err && run->mode == PROFIL_MODE_HISTOGRAM && update.value > 1) {
		slot->value--;
	} else {
		d->head = profil_defer_slot(d, 1) - d->slot;
		d->n--;
	}
	raw_spin_unlock(&d->lock);

	if (err)
		profil_update_give_up(p, run, &update);
}

/*
 * Memory whose faults end in finite time without anybody's help: anonymous,
 * tmpfs, or a file on a local disk. Not FUSE or a network, not a driver's (the
 * device nodes are on a tmpfs too), and nothing that userfaultfd answers for.
 */
static bool profil_vma_waitable(struct vm_area_struct *vma)
{
	const struct super_block *sb;

	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP))
		return false;
	if (userfaultfd_armed(vma))
		return false;
	/* Private mappings of /dev/zero are anonymous and have a file. */
	if (vma_is_anonymous(vma))
		return true;
	if (!vma->vm_file || !S_ISREG(file_inode(vma->vm_file)->i_mode))
		return false;
	sb = file_inode(vma->vm_file)->i_sb;
	if (sb->s_magic == TMPFS_MAGIC || sb->s_magic == RAMFS_MAGIC ||
	    sb->s_magic == HUGETLBFS_MAGIC)
		return true;
	return (sb->s_type->fs_flags & FS_REQUIRES_DEV) &&
	       sb->s_magic != FUSE_SUPER_MAGIC;
}

/*
 * Make the page at @addr present and writable. Who closes the profile has the
 * mmap write lock: either it waits for us, or we see that it holds the slots.
 */
static int profil_fault_in_page(struct profil *p, unsigned long addr, bool holder)
{
	struct mm_struct *mm = p->mm;
	struct vm_area_struct *vma;
	int err = -EFAULT;

	mmap_read_lock(mm);
	if (!holder && READ_ONCE(p->defer.held))
		goto unlock;
	vma = vma_lookup(mm, addr);
	/* Without FAULT_FLAG_ALLOW_RETRY the vma stays the one we looked at. */
	if (vma && profil_vma_waitable(vma))
		err = fixup_user_fault(mm, addr, FAULT_FLAG_WRITE, NULL);
unlock:
	mmap_read_unlock(mm);
	return err;
}

static int profil_fault_in(struct profil *p, u64 addr, unsigned int bytes, bool holder)
{
	int err = profil_fault_in_page(p, addr, holder);

	if (!err && offset_in_page(addr) + bytes > PAGE_SIZE)
		err = profil_fault_in_page(p, addr + bytes - 1, holder);
	return err;
}

/*
 * Bring in the array's next pages, as far as it reaches. A failure is none
 * before a sample is to be stored there.
 */
static void profil_defer_look_ahead(struct profil *p, const struct profil_run *run)
{
	u64 addr = xchg(&p->defer.ahead, 0), end;
	unsigned int i;

	if (!addr || READ_ONCE(p->live) != run)
		return;
	end = run->buf + run->capacity * run->width;
	addr &= PAGE_MASK;
	for (i = 0; i < PROFIL_DEFER_AHEAD; i++) {
		addr += PAGE_SIZE;
		if (addr >= end || profil_fault_in_page(p, addr, false))
			return;
	}
}

/*
 * Apply one tick of the oldest update, in process context with its mm loaded.
 * False if there is none, or if the slots are held by somebody else.
 */
static bool profil_defer_step(struct profil *p, struct profil_run *run, bool holder)
{
	struct profil_update update;
	int tries = 0, err;
	bool mine, done;

	if (!profil_defer_peek(&p->defer, &update))
		return false;
	do {
		err = profil_fault_in(p, update.addr,
				      profil_update_bytes(run, &update), holder);
		local_irq_disable();
		profil_enter(p);
		/* Pairs with profil_defer_hold() and the drain after it. */
		mine = holder || !READ_ONCE(p->defer.held);
		if (mine && !err)
			err = profil_update_apply(p, run, &update);
		/* -EAGAIN is no fault: the same update again, after a pause. */
		done = !mine || !err || err == -EAGAIN || ++tries == PROFIL_DEFER_TRIES;
		if (mine && done && err != -EAGAIN)
			profil_defer_done(p, run, err);
		profil_leave();
		local_irq_enable();
	} while (!done);
	return mine;
}

static void profil_defer_apply(struct profil *p, struct profil_run *run, bool holder)
{
	while (profil_defer_step(p, run, holder))
		cond_resched();
}

static void profil_defer_work(struct work_struct *work)
{
	struct profil *p = container_of(work, struct profil, defer.work);

	if (mmget_not_zero(p->mm)) {
		kthread_use_mm(p->mm);
		profil_defer_apply(p, p->run, false);
		profil_defer_look_ahead(p, p->run);
		kthread_unuse_mm(p->mm);
		mmput(p->mm);
	}
	profil_put(p);
}

/*
 * From now on the worker does not touch the process's memory; for what it is
 * doing now, the caller drains @p as for a tick.
 */
void profil_defer_hold(struct profil *p)
{
	WRITE_ONCE(p->defer.held, true);
}

/* The slots are empty again, and the worker may go on. */
void profil_defer_release(struct profil *p)
{
	WRITE_ONCE(p->defer.held, false);
}

/*
 * Apply what waits, now. The caller, in the process, holds the slots and has
 * drained @p.
 */
void profil_defer_flush(struct profil *p, struct profil_run *run)
{
	might_sleep();
	profil_defer_cancel(p);
	p->defer.ahead = 0;
	profil_defer_apply(p, run, true);
}

/* The address space goes; what waits is lost. Slots held, @p drained. */
void profil_defer_discard(struct profil *p)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&p->defer.lock, flags);
	p->defer.n = 0;
	raw_spin_unlock_irqrestore(&p->defer.lock, flags);
}

/*
 * Updates that @parent's memory has not seen, the copy in @child has not seen
 * either. Those past the position that @child goes on from are not its own.
 */
void profil_defer_inherit(struct profil *child, struct profil *parent,
			  const struct profil_run *run)
{
	struct profil_defer *from = &parent->defer, *to = &child->defer;
	struct profil_update *slot;
	unsigned long flags;
	unsigned int i;
	u64 ticks = 0;

	raw_spin_lock_irqsave(&from->lock, flags);
	for (i = 0; i < from->n; i++) {
		slot = profil_defer_slot(from, i);
		if (run->mode == PROFIL_MODE_SAMPLES &&
		    slot->index >= profil_run_nsamples(run))
			continue;
		ticks += profil_update_ticks(run, slot);
		profil_defer_append(to, slot);
	}
	raw_spin_unlock_irqrestore(&from->lock, flags);
	child->status->ticks = ticks;
	child->status->deferred = ticks;
}

bool profil_defer_init(struct profil *p)
{
	raw_spin_lock_init(&p->defer.lock);
	INIT_WORK(&p->defer.work, profil_defer_work);
	p->defer.slot = (void *)__get_free_page(GFP_KERNEL_ACCOUNT);
	return p->defer.slot;
}

void profil_defer_free(struct profil *p)
{
	free_page((unsigned long)p->defer.slot);
}

/* High priority: what it does not do in time is lost. */
int profil_defer_module_init(void)
{
	profil_wq = alloc_workqueue("profil", WQ_UNBOUND | WQ_HIGHPRI, 0);
	return profil_wq ? 0 : -ENOMEM;
}

void profil_defer_module_exit(void)
{
	destroy_workqueue(profil_wq);
}

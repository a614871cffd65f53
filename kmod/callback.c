// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls a thread back on its way to user mode, to settle what waits for a page
 * and to bring in pages of a sample array that will be needed.
 *
 * The tick pushes a callback to the thread that it interrupted, at most one per
 * thread, from a pool. The thread runs it like any task work: before it returns
 * to user mode, before a signal's frame, in ptrace stops, at exit. A thread that
 * was ticked in user mode runs it soon; one that was in the kernel may stay
 * there for ever, so those have only a part of the pool.
 *
 * One thread of a profile settles at a time; what the others' callbacks find
 * then is his. Ticks while a thread settles, or walks its stack
 * (stack_callback.c), push nothing: task work is run
 * until there is none, and a callback that takes longer than a tick would
 * never let its thread go.
 *
 * Layer: deferral, on profile.
 */
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "ahead.h"
#include "callback.h"
#include "compat.h"
#include "profile.h"
#include "settle.h"
#include "stacks.h"

/* Of the pool, for system ticks; the more when slots become scarce. */
#define PROFIL_CALLBACKS_SYSTEM		16
#define PROFIL_CALLBACKS_URGENT		48

static unsigned int profil_callback_limit(const struct profil *p, bool user)
{
	/* Whoever sleeps in the kernel, some are left for user mode. */
	BUILD_BUG_ON(max(PROFIL_CALLBACKS_SYSTEM, PROFIL_CALLBACKS_URGENT) >=
		     PROFIL_CALLBACKS);
	if (user)
		return PROFIL_CALLBACKS;
	return p->slots.n < PROFIL_SLOTS / 2 ? PROFIL_CALLBACKS_SYSTEM
					     : PROFIL_CALLBACKS_URGENT;
}

/*
 * A callback for the current thread; NULL if it has one, is settling, or there
 * is none left. Ticks in user mode take those that system ticks cannot have.
 */
static struct profil_callback *profil_callback_take(struct profil *p, bool user)
{
	unsigned int i, limit = profil_callback_limit(p, user);
	struct profil_callback *cb, *found = NULL;

	lockdep_assert_held(&p->lock);
	if (p->stage != PROFIL_LIVE || p->callbacks.settler == current ||
	    profil_stacks_is_walking(READ_ONCE(p->stacks)))
		return NULL;
	for (i = 0; i < PROFIL_CALLBACKS; i++) {
		cb = &p->callbacks.pool[i];
		if (cb->task == current)
			return NULL;
		if (!cb->task && i < limit)
			found = cb;
	}
	if (found)
		found->task = current;
	return found;
}

/* The callback runs: it is free for others. True for the one that settles. */
static bool profil_callback_begin(struct profil *p, struct profil_callback *cb)
{
	bool mine;

	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(cb->task != current);
	cb->task = NULL;
	mine = current->mm == p->mm && !p->callbacks.settler;
	if (mine)
		WRITE_ONCE(p->callbacks.settler, current);
	raw_spin_unlock_irq(&p->lock);
	return mine;
}

static void profil_callback_end(struct profil *p)
{
	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(p->callbacks.settler != current);
	WRITE_ONCE(p->callbacks.settler, NULL);
	raw_spin_unlock_irq(&p->lock);
}

/*
 * Not in the process's memory any more after an exec, and at exit. The registers
 * are nobody's business here: KVM_RUN runs task work, too.
 */
static void profil_callback_run(struct callback_head *work)
{
	struct profil_callback *cb = container_of(work, struct profil_callback, work);
	struct profil *p = cb->profil;

	might_sleep();
	if (profil_callback_begin(p, cb)) {
		if (!profil_settle(p, PROFIL_TRY))
			profil_ahead(p, PROFIL_TRY);
		profil_callback_end(p);
	}
	/* The last thing: it may be what keeps the module. */
	profil_put(p);
}

/**
 * profil_callback_push() - see that something waiting is done.
 * @p:    the profile that the tick is for
 * @user: the tick interrupted user mode
 *
 * From the tick. Does nothing if the thread has been called already.
 */
void profil_callback_push(struct profil *p, bool user)
{
	struct profil_callback *cb;

	lockdep_assert_irqs_disabled();
	/* Ticks that run here are charged outside of any NMI. */
	if (WARN_ON_ONCE(in_nmi()) || profil_task_flags() & PF_EXITING)
		return;
	raw_spin_lock(&p->lock);
	cb = profil_callback_take(p, user);
	raw_spin_unlock(&p->lock);
	if (!cb)
		return;
	/* The tick is drained before the mapping's reference goes. */
	kref_get(&p->ref);
	cb->profil = p;
	init_task_work(&cb->work, profil_callback_run);
	profil_task_work_add(&cb->work);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Task work that applies deferred updates and brings in the next pages of a sample
 * array, on a thread's way to user mode.
 *
 * The tick pushes a callback to the thread that it interrupted, at most one per
 * thread, from a pool. The thread runs it like any task work: before it returns
 * to user mode, before a signal's frame, in ptrace stops, at exit. After a tick in
 * user mode the thread runs it soon. After a tick in the kernel the thread may stay
 * there for ever, so such ticks get only a part of the pool.
 *
 * One thread of a profile applies updates at a time; other callbacks leave them to
 * it. Ticks while a thread applies updates, or walks its stack (stack/capture.c),
 * push nothing. Otherwise a callback that takes longer than a tick would keep the
 * thread for ever, because a thread runs task work until none is left.
 */
#include <linux/build_bug.h>
#include <linux/minmax.h>

#include "stack/stack.h"
#include "update/update.h"

/* Callbacks for system ticks; more of them when the ring fills up. */
#define MAX_SYSTEM		16
#define MAX_URGENT		48

static unsigned int pool_limit(const struct profil *p, bool user)
{
	/* Threads that sleep in the kernel leave some for ticks in user mode. */
	BUILD_BUG_ON(max(MAX_SYSTEM, MAX_URGENT) >= PROFIL_CALLBACKS);
	if (user)
		return PROFIL_CALLBACKS;
	return p->deferred.n < PROFIL_SLOTS / 2 ? MAX_SYSTEM : MAX_URGENT;
}

/*
 * A callback for the current thread; NULL if it has one, is applying updates, or none
 * is left. Ticks in user mode take the callbacks that system ticks may not use.
 */
static struct profil_callback *take_callback(struct profil *p, bool user)
{
	unsigned int i, limit = pool_limit(p, user);
	struct profil_callback *cb, *found = NULL;

	lockdep_assert_held(&p->lock);
	/* docs/security.md states how many a tick looks at. */
	BUILD_BUG_ON(PROFIL_CALLBACKS > 64);
	if (p->stage != PROFIL_LIVE || p->applier == current ||
	    (PROFIL_HAS_STACKS && profil_stack_is_walking(p)))
		return NULL;
	for (i = 0; i < PROFIL_CALLBACKS; i++) {
		cb = &p->pools->callback[i];
		if (cb->task == current)
			return NULL;
		if (!cb->task && i < limit)
			found = cb;
	}
	if (found)
		found->task = current;
	return found;
}

/* Free the callback, as it runs. True if this thread applies updates. */
static bool begin_applying(struct profil *p, struct profil_callback *cb)
{
	bool mine;

	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(cb->task != current);
	cb->task = NULL;
	mine = current->mm == p->mm && !p->applier;
	if (mine)
		WRITE_ONCE(p->applier, current);
	raw_spin_unlock_irq(&p->lock);
	return mine;
}

/*
 * After an exec, and at exit, current->mm is not the profile's. Do not use user
 * registers here: KVM_RUN also runs task work.
 */
static void run_callback(struct callback_head *work)
{
	struct profil_callback *cb = container_of(work, struct profil_callback, work);
	struct profil *p = cb->profil;

	might_sleep();
	if (begin_applying(p, cb)) {
		if (!profil_apply_deferred(p, PROFIL_TRY))
			profil_prefault(p);
		raw_spin_lock_irq(&p->lock);
		WARN_ON_ONCE(p->applier != current);
		WRITE_ONCE(p->applier, NULL);
		raw_spin_unlock_irq(&p->lock);
	}
	/* Last: this reference may keep the module loaded. */
	profil_put(p);
}

/*
 * Push a callback to the current thread, unless it has one, from a tick of @p, which
 * interrupted user mode if @user.
 */
void profil_callback_push(struct profil *p, bool user)
{
	struct profil_callback *cb;

	lockdep_assert_irqs_disabled();
	/* Ticks do not run in NMIs. */
	if (WARN_ON_ONCE(in_nmi()) || profil_task_flags() & PF_EXITING)
		return;
	raw_spin_lock(&p->lock);
	cb = take_callback(p, user);
	raw_spin_unlock(&p->lock);
	if (!cb)
		return;
	/* The mapping's reference is still there: it goes after ticks are drained. */
	kref_get(&p->ref);
	cb->profil = p;
	init_task_work(&cb->work, run_callback);
	profil_task_work_add(current, &cb->work);
}

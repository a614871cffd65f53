// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a thread does on its way to user mode for ticks that are to have a stack:
 * it walks its own, has the record written, and lets its entry go.
 *
 * Layer: deferral, on profile.
 */
#include <linux/build_bug.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "compat.h"
#include "delay.h"
#include "live.h"
#include "objects.h"
#include "profile.h"
#include "stack_callback.h"
#include "stack_stream.h"
#include "stacks.h"
#include "unwind_current.h"

/* How often a record is tried to be written that has to wait. */
#define PROFIL_STACK_TRIES	3
/* How many more are written of ticks that came during the one before. */
#define PROFIL_STACK_AGAIN	3

/* So that the thread's last stack can be remembered; if not, it costs bytes. */
static void profil_stack_last_make(struct profil *p, struct profil_stack_last **last)
{
	struct profil_stack_last *new = profil_stacks_last_alloc();

	raw_spin_lock_irq(&p->lock);
	if (!*last)
		swap(*last, new);
	raw_spin_unlock_irq(&p->lock);
	kfree(new);
}

/* False: its ticks are left. */
static bool profil_stack_write_look(struct profil *p, struct profil_stacks_entry *e,
				    const struct profil_stack_look *look)
{
	unsigned int tries;
	int err;

	for (tries = 0; tries < PROFIL_STACK_TRIES; tries++) {
		err = profil_stack_write(p, e, look, PROFIL_TRY);
		if (err != -EAGAIN)
			return !err;
		cond_resched();
	}
	return false;
}

/* What the walk is to begin with. */
static void profil_stack_get_table(struct profil *p, struct profil_stack_look *look)
{
	lockdep_assert_held(&p->lock);
	look->from.table = p->table;
	if (p->table)
		kref_get(&p->table->ref);
}

/* What waits must not keep tables that have been replaced meanwhile. */
static void profil_stack_put_table(struct profil_stack_look *look)
{
	profil_table_put(look->from.table);
	look->from.table = NULL;
}

/*
 * Walk, and write what was found. A tick that was due while interrupts were off for
 * that comes when it is written: it is of the same place, and has the same stack.
 */
static void profil_stack_look(struct profil *p, struct profil_stacks_entry *e,
			      struct profil_unwinder *unwinder, struct profil_stack_look *look)
{
	unsigned int again;

	/* What an unwinder keeps is of one address space, and of one walk at a time. */
	WARN_ON_ONCE(current->mm != p->mm);
	if (unwinder == p->stacks->unwinder)
		lockdep_assert_held(&p->stacks->walking);
	profil_unwind_current(unwinder, &look->from, &look->walked);
	profil_stack_put_table(look);
	profil_delay();
	for (again = 0; again <= PROFIL_STACK_AGAIN; again++)
		if (!profil_stack_write_look(p, e, look) || !READ_ONCE(e->count))
			return;
}

/* The unwinder that keeps rules is one thread's at a time. */
static void profil_stack_walk_entry(struct profil *p, struct profil_stacks_entry *e,
				    struct profil_stack_look *look)
{
	struct profil_stacks *s = p->stacks;
	struct profil_unwinder *unwinder;

	if (mutex_trylock(&s->walking)) {
		profil_stack_look(p, e, s->unwinder, look);
		mutex_unlock(&s->walking);
		return;
	}
	unwinder = profil_unwinder_alloc(false);
	if (unwinder)
		profil_stack_look(p, e, unwinder, look);
	profil_unwinder_free(unwinder);
}

/* What there is to look for, and where; false: nothing any more. */
static bool profil_stack_begin(struct profil *p, struct profil_stacks_entry *e,
			       struct profil_stack_look *look)
{
	struct profil_stack_last **last = NULL;
	u32 id = profil_stacks_own_id();
	bool wanted;

	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(READ_ONCE(e->task) != current || e->walking);
	wanted = e->count && p->stage == PROFIL_LIVE && !p->stacks->ended;
	if (wanted) {
		e->walking = true;
		e->thread = id;
		e->time_ns = e->time_ns ?: look->from.now;
		look->run = p->stacks->run;
		look->from.ip = e->ip;
		look->from.sp = e->sp;
		look->from.thread = id;
		profil_stack_get_table(p, look);
		last = &profil_stacks_thread(p->stacks, id)->last;
		if (*last)
			last = NULL;
	}
	raw_spin_unlock_irq(&p->lock);
	if (unlikely(last))
		profil_stack_last_make(p, last);
	return wanted;
}

/*
 * What others have left, and pages that are needed soon. Before the walk: ticks that
 * come meanwhile are of the same record.
 */
static noinline void profil_stack_catch_up(struct profil *p, struct profil_stack_look *look)
{
	profil_stack_put_table(look);
	profil_stack_write_left(p);
	profil_stack_stream_ahead(p);
	look->from.now = ktime_get_ns();
	raw_spin_lock_irq(&p->lock);
	profil_stack_get_table(p, look);
	raw_spin_unlock_irq(&p->lock);
}

static void profil_stack_take(struct profil *p, struct profil_stacks_entry *e)
{
	struct profil_stack_look look = { .from.now = ktime_get_ns() };

	if (!profil_stack_begin(p, e, &look))
		return;
	if (unlikely(READ_ONCE(p->stacks->nleft) || READ_ONCE(p->stacks->behind)))
		profil_stack_catch_up(p, &look);
	profil_stack_walk_entry(p, e, &look);
	/* If nobody has walked. */
	profil_stack_put_table(&look);
}

/* Will anybody write a record? */
static bool profil_stack_is_wanted(const struct profil *p)
{
	lockdep_assert_held(&p->lock);
	return (p->stage == PROFIL_LIVE || p->stage == PROFIL_STOPPING) &&
	       !p->stacks->ended;
}

/* Those that any tick can have are not all left: there is one to have a callback by. */
static bool profil_stack_may_leave(const struct profil *p,
				   const struct profil_stacks_entry *e)
{
	BUILD_BUG_ON(PROFIL_STACKS_WAYS_LEFT >= PROFIL_STACKS_WAYS_SYSTEM);
	return (e - p->stacks->entry) % PROFIL_STACKS_WAYS < PROFIL_STACKS_WAYS_LEFT &&
	       profil_stack_is_wanted(p);
}

/* The entry is free for others; what is still in it, others have to write. */
static void profil_stack_unreserve(struct profil *p, struct profil_stacks_entry *e)
{
	struct task_struct *next = NULL;

	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(READ_ONCE(e->task) != current);
	e->walking = false;
	if (e->count && profil_stack_may_leave(p, e)) {
		e->thread = profil_stacks_own_id();
		WRITE_ONCE(p->stacks->nleft, p->stacks->nleft + 1);
		next = PROFIL_STACKS_LEFT;
	} else if (e->count) {
		profil_stack_drop(p, e);
	}
	/* Pairs with the reservation. */
	smp_store_release(&e->task, next);
	raw_spin_unlock_irq(&p->lock);
}

/**
 * profil_stack_callback() - walk the stack of an entry, and let the entry go.
 * @work: of the entry, which is the current thread's, and has a reference on the
 *        profile
 *
 * The process's memory is another one after an exec, and gone at exit. The registers
 * are the thread's own, wherever task work is run.
 */
void profil_stack_callback(struct callback_head *work)
{
	struct profil_stacks_entry *e = container_of(work, struct profil_stacks_entry, work);
	struct profil *p = e->profil;

	might_sleep();
	if (current->mm == p->mm)
		profil_stack_take(p, e);
	profil_stack_unreserve(p, e);
	/* The last thing: it may be what keeps the module. */
	profil_put(p);
}

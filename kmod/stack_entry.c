// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks that are to have a stack: the tick says where the thread was, and the
 * thread walks its stack on its way to user mode.
 *
 * The tick takes an entry for its thread and pushes the entry's callback, or adds
 * to the one that the thread has, if that is of the same place: several ticks in
 * a system call share a stack. It takes no lock. While a thread is walking, its
 * ticks push nothing (task work is run until there is none). Ticks that find no
 * entry, or one of another place, have no stack, and are counted as such.
 *
 * Layer: deferral, on profile.
 */
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <asm/syscall.h>

#include "compat.h"
#include "delay.h"
#include "live.h"
#include "objects.h"
#include "profile.h"
#include "stack_entry.h"
#include "stack_stream.h"
#include "stack_state.h"
#include "walk.h"

/* How often a record is tried to be written that has to wait. */
#define PROFIL_STACK_TRIES	3

/* So that the thread's last stack can be remembered; if not, it costs bytes. */
static void profil_stack_last_make(struct profil *p, struct profil_record_last **last)
{
	struct profil_record_last *new = profil_stack_last_alloc();

	raw_spin_lock_irq(&p->lock);
	if (!*last)
		swap(*last, new);
	raw_spin_unlock_irq(&p->lock);
	kfree(new);
}

/* Walk, and write what was found. */
static void profil_stack_look(struct profil *p, struct profil_stack_entry *e,
			      struct profil_walker *walker, struct profil_stack_look *look)
{
	unsigned int tries = 0;

	profil_walk_current(walker, &look->from, &look->walked);
	profil_delay();
	while (profil_stack_write(p, e, look, PROFIL_TRY) == -EAGAIN &&
	       ++tries < PROFIL_STACK_TRIES)
		cond_resched();
}

/* The walker that keeps rules is one thread's at a time. */
static void profil_stack_walk_entry(struct profil *p, struct profil_stack_entry *e,
				    struct profil_stack_look *look)
{
	struct profil_stacks *s = p->stacks;
	struct profil_walker *walker;

	if (mutex_trylock(&s->walking)) {
		profil_stack_look(p, e, s->walker, look);
		mutex_unlock(&s->walking);
		return;
	}
	walker = profil_walker_alloc(false);
	if (walker)
		profil_stack_look(p, e, walker, look);
	profil_walker_free(walker);
}

/* What there is to look for, and where; false: nothing any more. */
static bool profil_stack_begin(struct profil *p, struct profil_stack_entry *e,
			       struct profil_stack_look *look)
{
	struct profil_record_last **last = NULL;
	u32 id = task_pid_vnr(current);
	bool wanted;

	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(READ_ONCE(e->task) != current || e->walking);
	wanted = e->count && p->stage == PROFIL_LIVE && !p->stacks->ended;
	if (wanted) {
		e->walking = true;
		e->thread = id;
		e->time_ns = e->time_ns ?: look->from.now;
		look->run = e->run;
		look->sample = e->sample;
		look->from.ip = e->ip;
		look->from.sp = e->sp;
		look->from.table = p->table;
		if (p->table)
			kref_get(&p->table->ref);
		last = &profil_stack_thread(p->stacks, id)->last;
		if (*last)
			last = NULL;
	}
	raw_spin_unlock_irq(&p->lock);
	if (unlikely(last))
		profil_stack_last_make(p, last);
	return wanted;
}

static void profil_stack_take(struct profil *p, struct profil_stack_entry *e)
{
	struct profil_stack_look look = { .from.now = ktime_get_ns() };

	if (!profil_stack_begin(p, e, &look))
		return;
	profil_stack_walk_entry(p, e, &look);
	profil_table_put(look.from.table);
	profil_stack_write_left(p);
	profil_stacks_ahead(p);
}

/* Will anybody write a record? */
static bool profil_stack_is_wanted(const struct profil *p)
{
	return (p->stage == PROFIL_LIVE || p->stage == PROFIL_STOPPING) &&
	       !p->stacks->ended;
}

/* The entry is free for others; what is still in it, others have to write. */
static void profil_stack_release(struct profil *p, struct profil_stack_entry *e)
{
	struct task_struct *next = NULL;

	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(READ_ONCE(e->task) != current);
	e->walking = false;
	if (e->count && profil_stack_is_wanted(p)) {
		e->thread = task_pid_vnr(current);
		WRITE_ONCE(p->stacks->nleft, p->stacks->nleft + 1);
		next = PROFIL_STACK_LEFT;
	} else if (e->count) {
		profil_stack_drop(p, e);
	}
	/* Pairs with the claim. */
	smp_store_release(&e->task, next);
	raw_spin_unlock_irq(&p->lock);
}

/*
 * Not in the process's memory any more after an exec, and at exit. The registers
 * are the thread's own, wherever task work is run.
 */
static void profil_stack_run(struct callback_head *work)
{
	struct profil_stack_entry *e = container_of(work, struct profil_stack_entry, work);
	struct profil *p = e->profil;

	might_sleep();
	if (current->mm == p->mm)
		profil_stack_take(p, e);
	profil_stack_release(p, e);
	/* The last thing: it may be what keeps the module. */
	profil_put(p);
}

/* A free entry becomes the current thread's; NULL: there is none. */
static __always_inline struct profil_stack_entry *
profil_stack_claim(struct profil_stack_entry *set, bool user)
{
	unsigned int i, n = user ? PROFIL_STACK_WAYS : PROFIL_STACK_WAYS_SYSTEM;

	for (i = 0; i < n; i++)
		if (!READ_ONCE(set[i].task) && !cmpxchg(&set[i].task, NULL, current))
			return &set[i];
	return NULL;
}

static __always_inline void profil_stack_fill(struct profil_stacks *s,
					      struct profil_stack_entry *e,
					      u64 sample, u64 ip, u64 sp, bool user)
{
	e->count = 1;
	e->ip = ip;
	e->sp = sp;
	e->sample = sample;
	e->cpu = raw_smp_processor_id();
	e->run = s->run;
	e->user = user;
	/* Who was in user mode is called back now. */
	e->time_ns = 0;
	if (user)
		return;
	e->time_ns = ktime_get_ns();
	e->syscall = syscall_get_nr(current, task_pt_regs(current));
}

/* A free entry becomes the current thread's, and its callback is queued. */
static __always_inline bool profil_stack_push(struct profil *p, struct profil_stacks *s,
					      u64 sample, u64 ip, u64 sp, bool user)
{
	struct profil_stack_entry *e = profil_stack_claim(profil_stack_set(s, current), user);

	if (unlikely(!e))
		return false;
	profil_stack_fill(s, e, sample, ip, sp, user);
	/* The tick is drained before the mapping's reference goes. */
	kref_get(&p->ref);
	e->profil = p;
	init_task_work(&e->work, profil_stack_run);
	profil_task_work_add(&e->work);
	return true;
}

/* False: the tick is of another place than those before it. */
static bool profil_stack_add(struct profil_stacks *s, struct profil_stack_entry *e,
			     u64 sample, u64 ip, u64 sp)
{
	/* They have been taken, but the callback has yet to run. */
	if (!e->count) {
		profil_stack_fill(s, e, sample, ip, sp, false);
		return true;
	}
	if (e->ip != ip || e->sp != sp)
		return false;
	e->count++;
	e->last_ns = ktime_get_ns();
	return true;
}

/* Of a thread in the kernel, which may have an entry; not inline: it is rarer. */
static noinline bool profil_stack_tick_system(struct profil *p, struct profil_stacks *s,
					      u64 sample, u64 ip, u64 sp)
{
	struct profil_stack_entry *e = profil_stack_own(profil_stack_set(s, current));

	if (e)
		return profil_stack_add(s, e, sample, ip, sp);
	/* Who settles would have to come back for it: see callback.c. */
	if (profil_task_flags() & PF_EXITING || READ_ONCE(p->callbacks.settler) == current)
		return false;
	return profil_stack_push(p, s, sample, ip, sp, false);
}

/**
 * profil_stack_tick() - see that a tick's stack is walked.
 * @p:      the profile, whose run has stacks; entered by the tick
 * @sample: position of the tick in the sample array
 * @ip:     the user pc
 * @user:   the tick interrupted user mode: then the thread has no entry, as it has
 *          run its callbacks before it went there
 */
void profil_stack_tick(struct profil *p, u64 sample, u64 ip, bool user)
{
	u64 sp = user_stack_pointer(task_pt_regs(current));
	/* Pairs with profil_stacks_prepare(). */
	struct profil_stacks *s = READ_ONCE(p->stacks);

	lockdep_assert_irqs_disabled();
	if (unlikely(!s || READ_ONCE(s->ended)))
		goto stackless;
	if (likely(user ? profil_stack_push(p, s, sample, ip, sp, true)
			: profil_stack_tick_system(p, s, sample, ip, sp)))
		return;
stackless:
	profil_stat_add(&p->status->stackless, 1);
}

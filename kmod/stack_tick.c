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
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>

#include "compat.h"
#include "live.h"
#include "profile.h"
#include "stack_callback.h"
#include "stack_tick.h"
#include "stacks.h"

/*
 * What a tick in user mode says is all that it says: who was there is called back
 * now, so the time is that of the callback.
 */
static __always_inline void profil_stack_fill(struct profil_stacks_entry *e,
					      u64 sample, u64 ip, u64 sp, bool user)
{
	e->count = 1;
	e->kernel = !user;
	e->ip = ip;
	e->sp = sp;
	e->sample = sample;
	e->cpu = raw_smp_processor_id();
	if (user)
		return;
	e->time_ns = ktime_get_ns();
	e->syscall = syscall_get_nr(current, task_pt_regs(current));
}

/*
 * An entry that is the current thread's is filled, and its callback queued: that
 * runs behind the tick.
 */
static __always_inline void profil_stack_push(struct profil *p, struct profil_stacks_entry *e,
					      u64 sample, u64 ip, u64 sp, bool user)
{
	profil_stack_fill(e, sample, ip, sp, user);
	e->profil = p;
	init_task_work(&e->work, profil_stack_callback);
	profil_task_work_add(&e->work);
	/* The tick is drained before the mapping's reference goes. */
	kref_get(&p->ref);
}

static noinline void profil_stack_none(struct profil *p)
{
	profil_stat_add(&p->status->stackless, 1);
}

/* The first entry of the set is not free. Not inline: it is rarer. */
static noinline void profil_stack_push_other(struct profil *p, struct profil_stacks_entry *set,
					     u64 sample, u64 ip, u64 sp, bool user)
{
	unsigned int i, n = user ? PROFIL_STACKS_WAYS : PROFIL_STACKS_WAYS_SYSTEM;

	for (i = 1; i < n; i++) {
		if (READ_ONCE(set[i].task) || cmpxchg(&set[i].task, NULL, current))
			continue;
		profil_stack_push(p, &set[i], sample, ip, sp, user);
		return;
	}
	profil_stack_none(p);
}

/* A free entry of the set becomes the current thread's, if there is one. */
static __always_inline void profil_stack_reserve(struct profil *p,
						 struct profil_stacks_entry *set,
						 u64 sample, u64 ip, u64 sp, bool user)
{
	/* One address, and not one for each field. */
	OPTIMIZER_HIDE_VAR(set);
	if (likely(!cmpxchg(&set->task, NULL, current)))
		profil_stack_push(p, set, sample, ip, sp, user);
	else
		profil_stack_push_other(p, set, sample, ip, sp, user);
}

/* False: the tick is of another place than those before it. */
static bool profil_stack_add(struct profil_stacks_entry *e, u64 sample, u64 ip, u64 sp)
{
	/* They have been taken, but the callback has yet to run. */
	if (!e->count) {
		profil_stack_fill(e, sample, ip, sp, false);
		return true;
	}
	if (e->ip != ip || e->sp != sp || e->count == U32_MAX)
		return false;
	e->count++;
	e->last_ns = ktime_get_ns();
	return true;
}

/* Of a thread in the kernel, which may have an entry; not inline: it is rarer. */
static noinline void profil_stack_tick_system(struct profil *p, struct profil_stacks *s,
					      u64 sample, u64 ip, u64 sp)
{
	struct profil_stacks_entry *set = profil_stacks_set(s), *e = profil_stacks_own(set);

	/* Who settles would have to come back for a new one: see callback.c. */
	if (!e && !(profil_task_flags() & PF_EXITING) &&
	    READ_ONCE(p->callbacks.settler) != current)
		profil_stack_reserve(p, set, sample, ip, sp, false);
	else if (!e || !profil_stack_add(e, sample, ip, sp))
		profil_stack_none(p);
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

	/* What is rarer ends in another function, so that no register is saved here. */
	lockdep_assert_irqs_disabled();
	if (unlikely(!s || READ_ONCE(s->ended)))
		profil_stack_none(p);
	else if (likely(user))
		profil_stack_reserve(p, profil_stacks_set(s), sample, ip, sp, true);
	else
		profil_stack_tick_system(p, s, sample, ip, sp);
}

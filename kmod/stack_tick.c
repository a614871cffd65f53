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

/* A free entry becomes the current thread's; NULL: there is none. */
static __always_inline struct profil_stacks_entry *
profil_stack_reserve(struct profil_stacks_entry *set, bool user)
{
	unsigned int i, n = user ? PROFIL_STACKS_WAYS : PROFIL_STACKS_WAYS_SYSTEM;

	for (i = 0; i < n; i++)
		if (!READ_ONCE(set[i].task) && !cmpxchg(&set[i].task, NULL, current))
			return &set[i];
	return NULL;
}

static __always_inline void profil_stack_fill(struct profil_stacks *s,
					      struct profil_stacks_entry *e,
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
	struct profil_stacks_entry *e = profil_stack_reserve(profil_stacks_set(s), user);

	if (unlikely(!e))
		return false;
	profil_stack_fill(s, e, sample, ip, sp, user);
	/* The tick is drained before the mapping's reference goes. */
	kref_get(&p->ref);
	e->profil = p;
	init_task_work(&e->work, profil_stack_callback);
	profil_task_work_add(&e->work);
	return true;
}

/* False: the tick is of another place than those before it. */
static bool profil_stack_add(struct profil_stacks *s, struct profil_stacks_entry *e,
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
	struct profil_stacks_entry *e = profil_stacks_own(profil_stacks_set(s));

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

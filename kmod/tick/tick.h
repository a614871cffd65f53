/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_TICK_TICK_H
#define _PROFIL_TICK_TICK_H

#include <linux/ptrace.h>
#include <asm/irq_regs.h>

#include "profile.h"

/* source.c, hook.c */
int profil_source_init(void);
void profil_source_exit(void);
int profil_hook_attach(void);
void profil_hook_detach(void);

/* timer.c */
int profil_timer_init(void);
void profil_timer_exit(void);
void profil_timer_watch(struct profil *p, const struct profil_run *run);
void profil_timer_here(void);
/* The arguments of the tracepoint's probe, in their order: a probe moves none of them. */
void profil_timer_switched(void *unused, bool preempt, struct task_struct *prev,
			   struct task_struct *next);
void profil_timer_live(u32 rate, u32 flags);
void profil_timer_settle(struct profil *p);

/* Does the timer of this CPU take the samples of @run? */
static __always_inline bool profil_timer_serves(const struct profil_run *run)
{
	return run->rate == PROFIL_RATE_FAST || profil_clock_is_timer();
}

/* tick.c */
void profil_tick(struct profil *p, bool user);
bool profil_tick_charge(struct profil *p, struct profil_run *run, bool user, u64 n);

/* Most ticks that are charged at once. A timer is that late if the machine stood still. */
#define PROFIL_TICKS_MOST	10000

/*
 * A tick of this CPU. Most processes have no live profile, so this returns early
 * for them.
 */
static __always_inline void profil_hook_hit(void)
{
	struct mm_struct *mm;
	struct pt_regs *regs;
	struct profil *p;

	if (!atomic_read(&profil_clock_runs))
		return;
	mm = current->mm;
	if (!mm)
		return;
	p = profil_find_of(mm, current);
	/* If the value is old, the tick came before the start or after the stop. */
	if (likely(!p) || !READ_ONCE(p->live))
		return;
	regs = get_irq_regs();
	if (unlikely(profil_clock_is_timer()))
		profil_timer_here();
	else if (regs)
		profil_tick(p, user_mode(regs));
}

#endif /* _PROFIL_TICK_TICK_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_TICK_TIMER_H
#define _PROFIL_TICK_TIMER_H

#include "compat.h"
#include "profile.h"
#include "run.h"
#include "tick/clock.h"

void profil_timer_watch(struct profil *p, const struct profil_run *run);
void profil_timer_here(void);
/* The arguments of the tracepoint's probe, in their order: a probe moves none of them. */
void profil_timer_switched(void *unused, bool preempt, struct task_struct *prev,
			   struct task_struct *next);
void profil_timer_live(u32 rate, u32 flags);
void profil_timer_settle(struct profil *p);
int profil_timer_init(void);
void profil_timer_exit(void);

/* Does the timer of this CPU take the samples of @run? */
static __always_inline bool profil_timer_serves(const struct profil_run *run)
{
	return run->rate == PROFIL_RATE_FAST || profil_clock_is_timer();
}

#endif /* _PROFIL_TICK_TIMER_H */

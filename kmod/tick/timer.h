/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_TICK_TIMER_H
#define _PROFIL_TICK_TIMER_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/prandom.h>

#include "profile.h"
#include "run.h"

enum profil_timer_kind {
	PROFIL_TIMER_FAST,
	PROFIL_TIMER_RANDOM,
	PROFIL_TIMER_TICK,
	PROFIL_TIMER_KINDS,
	PROFIL_TIMER_NONE = PROFIL_TIMER_KINDS,
};

/* Used only on their own CPU, with interrupts off. */
struct profil_cpu_timers {
	struct hrtimer		timer[PROFIL_TIMER_KINDS];
	struct rnd_state	rnd;
};

DECLARE_PER_CPU(struct profil_cpu_timers, profil_cpu_timers);

enum profil_timer_kind profil_timer_of(const struct profil_run *run);
ktime_t profil_timer_next(enum profil_timer_kind kind, struct rnd_state *rnd);
void profil_timer_start_for(struct task_struct *t);
void profil_timer_here(void);
void profil_timer_run(const struct profil_run *run);
void profil_timer_live(u32 rate);
int profil_timer_init(void);
void profil_timer_exit(void);

/* The timer that @p's tasks need on this CPU. */
static __always_inline enum profil_timer_kind profil_timer_for(struct profil *p)
{
	enum profil_timer_kind kind = PROFIL_TIMER_NONE;
	const struct profil_run *run = profil_enter(p);

	if (run)
		kind = profil_timer_of(run);
	profil_leave();
	return kind;
}

#endif /* _PROFIL_TICK_TIMER_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-CPU high-resolution timers that run on a CPU only while
 * it runs a task that is profiled with them.
 *
 * There are three on each CPU: PROFIL_RATE_FAST on the absolute 1 ms grid, the
 * same at random distances, and the kernel's tick period on its grid for the
 * tick's rates where the tick itself does not serve (nohz_full CPUs, and all of
 * them while the tick's hook is switched off). A context switch to a task that
 * needs a timer starts it, and so does a tick that finds one; a timer that finds
 * such a task running goes on, and one that does not is not started again. So a
 * CPU without such a task has at most one expiry, and no task can see the grid
 * begin where it begins to run.
 *
 * The random distances are exponential: a timer that is started anew when its
 * task comes back then takes samples as if it had never stopped, and any two
 * slices of CPU time of the same length have the same chance of a sample,
 * whatever period they have (McCanne and Torek, A Randomized Sampling Clock
 * for CPU Utilization Estimation and Code Profiling, USENIX Winter 1993).
 *
 * A timer is touched only on its own CPU, with interrupts off.
 *
 * Layer: tick, on deferral.
 */
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/profil.h>

#include "clock_use.h"
#include "live.h"
#include "profile.h"
#include "timer.h"

DEFINE_PER_CPU(struct profil_cpu_timers, profil_cpu_timers);

/* Shortest random distance: bounds the interrupts, at 2 % of the mean. */
#define PROFIL_RANDOM_MIN_NS	(20 * NSEC_PER_USEC)

/* -log2(u / 2^32) in 16.16, within 1 %, and exact in the mean; u is not 0. */
static u32 profil_neg_log2(u32 u)
{
	unsigned int n = ilog2(u);
	u32 f = ((u64)u << (32 - n)) >> 16 & 0xffff;
	/* log2(1 + f) = f + 0.344 f (1 - f), nearly. */
	u32 curve = ((u64)f * (0x10000 - f) >> 16) * 22544 >> 16;

	return (32U << 16) - (n << 16) - f - curve;
}

/* Exponentially distributed, with a mean of 1 ms. */
static u64 profil_random_distance(struct rnd_state *rnd)
{
	/* ln 2 in units of 1 ms. */
	u64 ns = (u64)profil_neg_log2(prandom_u32_state(rnd) | 1) * 693147 >> 16;

	return max_t(u64, ns, PROFIL_RANDOM_MIN_NS);
}

/* The timer that @run needs on this CPU. */
enum profil_timer_kind profil_timer_of(const struct profil_run *run)
{
	if (run->rate == PROFIL_RATE_FAST)
		return run->flags & PROFIL_RANDOM ? PROFIL_TIMER_RANDOM
						  : PROFIL_TIMER_FAST;
	return profil_clock_tick_is_timer() ? PROFIL_TIMER_TICK : PROFIL_TIMER_NONE;
}

/* When a timer of this kind is due next. */
ktime_t profil_timer_next(enum profil_timer_kind kind, struct rnd_state *rnd)
{
	u64 now = ktime_get_ns(), period;

	if (kind == PROFIL_TIMER_RANDOM)
		return ns_to_ktime(now + profil_random_distance(rnd));
	period = kind == PROFIL_TIMER_FAST ? NSEC_PER_MSEC : TICK_NSEC;
	return ns_to_ktime((div64_u64(now, period) + 1) * period);
}

/*
 * A timer that runs already is left alone: so often as tasks may switch, no
 * more interrupts come of it than one timer of each kind makes.
 */
static void profil_timer_start(enum profil_timer_kind kind)
{
	struct profil_cpu_timers *t = this_cpu_ptr(&profil_cpu_timers);

	lockdep_assert_irqs_disabled();
	if (kind == PROFIL_TIMER_NONE || hrtimer_is_queued(&t->timer[kind]))
		return;
	hrtimer_start(&t->timer[kind], profil_timer_next(kind, &t->rnd),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/* See that the timer for @t, which is or comes to run on this CPU, runs. */
void profil_timer_start_for(struct task_struct *t)
{
	struct profil *p = t->mm ? profil_find_of(t->mm, t) : NULL;

	lockdep_assert_irqs_disabled();
	if (p)
		profil_timer_start(profil_timer_for(p));
}

/* See that the timer for the current task runs. */
void profil_timer_here(void)
{
	profil_timer_start_for(current);
}

/*
 * The tick has found a task of @run, which it does not serve: one that ran
 * already when @run began. Between profil_enter() and profil_leave().
 */
void profil_timer_run(const struct profil_run *run)
{
	profil_timer_start(profil_timer_of(run));
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer clock: per-CPU high-resolution timers that run on a CPU only while
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
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <linux/profil.h>
#include <asm/irq_regs.h>

#include "clock.h"
#include "compat.h"
#include "live.h"
#include "profile.h"
#include "sample.h"

enum profil_timer_kind {
	PROFIL_TIMER_FAST,
	PROFIL_TIMER_RANDOM,
	PROFIL_TIMER_TICK,
	PROFIL_TIMER_KINDS,
	PROFIL_TIMER_NONE = PROFIL_TIMER_KINDS,
};

static const u32 timer_rates[PROFIL_TIMER_KINDS] = {
	[PROFIL_TIMER_FAST]	= BIT(PROFIL_RATE_FAST),
	[PROFIL_TIMER_RANDOM]	= BIT(PROFIL_RATE_FAST),
	[PROFIL_TIMER_TICK]	= BIT(PROFIL_RATE_CLOCK) | BIT(PROFIL_RATE_TICK),
};

struct profil_cpu_timers {
	struct hrtimer		timer[PROFIL_TIMER_KINDS];
	struct rnd_state	rnd;
};

static DEFINE_PER_CPU(struct profil_cpu_timers, profil_cpu_timers);
static struct tracepoint *switch_tracepoint;

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
static enum profil_timer_kind profil_timer_of(const struct profil_run *run)
{
	if (run->rate == PROFIL_RATE_FAST)
		return run->flags & PROFIL_RANDOM ? PROFIL_TIMER_RANDOM
						  : PROFIL_TIMER_FAST;
	return profil_clock_tick_is_timer() ? PROFIL_TIMER_TICK : PROFIL_TIMER_NONE;
}

/* The timer that @p's tasks need on this CPU. */
static enum profil_timer_kind profil_timer_for(struct profil *p)
{
	enum profil_timer_kind kind = PROFIL_TIMER_NONE;
	const struct profil_run *run = profil_enter(p);

	if (run)
		kind = profil_timer_of(run);
	profil_leave();
	return kind;
}

/* When a timer of this kind is due next. */
static ktime_t profil_timer_next(enum profil_timer_kind kind, struct rnd_state *rnd)
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

	if (kind == PROFIL_TIMER_NONE || hrtimer_is_queued(&t->timer[kind]))
		return;
	hrtimer_start(&t->timer[kind], profil_timer_next(kind, &t->rnd),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/* See that the timer for a task of @mm runs on this CPU. Interrupts are off. */
static void profil_timer_start_for(const struct mm_struct *mm)
{
	struct profil *p = mm ? profil_find(mm) : NULL;

	if (p)
		profil_timer_start(profil_timer_for(p));
}

/* See that the timer for the current task runs. Interrupts are off. */
void profil_clock_timer_here(void)
{
	profil_timer_start_for(current->mm);
}

/*
 * The tick has found a task of @run, which it does not serve: one that ran
 * already when @run began. Between profil_enter() and profil_leave().
 */
void profil_clock_timer_run(const struct profil_run *run)
{
	profil_timer_start(profil_timer_of(run));
}

/* NONE if it is not this CPU's: one that goes offline leaves its timers. */
static enum profil_timer_kind
profil_timer_kind_of(const struct profil_cpu_timers *t, const struct hrtimer *timer)
{
	enum profil_timer_kind kind = 0;

	while (kind < PROFIL_TIMER_KINDS && timer != &t->timer[kind])
		kind++;
	return kind;
}

static enum hrtimer_restart profil_timer_expired(struct hrtimer *timer)
{
	struct profil_cpu_timers *t = this_cpu_ptr(&profil_cpu_timers);
	enum profil_timer_kind kind = profil_timer_kind_of(t, timer);
	struct pt_regs *regs = get_irq_regs();
	struct profil *p;

	if (kind == PROFIL_TIMER_NONE || !regs)
		return HRTIMER_NORESTART;
	p = current->mm ? profil_find(current->mm) : NULL;
	if (!p || profil_timer_for(p) != kind)
		return HRTIMER_NORESTART;
	if (profil_tick_is_tasks(regs, 1))
		profil_tick(p, user_mode(regs), timer_rates[kind]);
	hrtimer_set_expires(timer, profil_timer_next(kind, &t->rnd));
	return HRTIMER_RESTART;
}

/* Called by the scheduler with the run queue locked and interrupts off. */
static void profil_switch(PROFIL_SWITCH_PROBE_ARGS)
{
	profil_timer_start_for(next->mm);
}

static int profil_timer_clock_start(void)
{
	int err = tracepoint_probe_register(switch_tracepoint, profil_switch, NULL);

	if (err)
		pr_err_ratelimited("cannot see context switches: error %d\n", err);
	return err;
}

static void profil_timers_cancel(void)
{
	int cpu, kind;

	for_each_possible_cpu(cpu)
		for (kind = 0; kind < PROFIL_TIMER_KINDS; kind++)
			hrtimer_cancel(&per_cpu(profil_cpu_timers, cpu).timer[kind]);
}

static void profil_timer_clock_stop(void)
{
	tracepoint_probe_unregister(switch_tracepoint, profil_switch, NULL);
	tracepoint_synchronize_unregister();
	profil_timers_cancel();
}

const struct profil_clock profil_clock_timer = {
	.start	= profil_timer_clock_start,
	.stop	= profil_timer_clock_stop,
};

static void profil_find_switch(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_switch"))
		switch_tracepoint = tp;
}

/* Without the tracepoint there is no timer clock, and no fast rate. */
bool profil_clock_timer_init(void)
{
	struct profil_cpu_timers *t;
	int cpu, kind;

	for_each_kernel_tracepoint(profil_find_switch, NULL);
	for_each_possible_cpu(cpu) {
		t = per_cpu_ptr(&profil_cpu_timers, cpu);
		prandom_seed_state(&t->rnd, get_random_u64());
		for (kind = 0; kind < PROFIL_TIMER_KINDS; kind++)
			hrtimer_setup(&t->timer[kind], profil_timer_expired,
				      CLOCK_MONOTONIC,
				      HRTIMER_MODE_ABS_PINNED_HARD);
	}
	return switch_tracepoint;
}

/* Nothing is profiled any more; a tick may have started a timer since the stop. */
void profil_clock_timer_exit(void)
{
	profil_timers_cancel();
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timers as a source of ticks: context switches start them for the tasks
 * that need them, and what they find when they expire is a tick's.
 *
 * Layer: source, on tick.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/profil.h>
#include <asm/irq_regs.h>

#include "compat.h"
#include "profile.h"
#include "sample.h"
#include "timer.h"
#include "timer_tick.h"

static const u32 timer_rates[PROFIL_TIMER_KINDS] = {
	[PROFIL_TIMER_FAST]	= BIT(PROFIL_RATE_FAST),
	[PROFIL_TIMER_RANDOM]	= BIT(PROFIL_RATE_FAST),
	[PROFIL_TIMER_TICK]	= BIT(PROFIL_RATE_CLOCK) | BIT(PROFIL_RATE_TICK),
};

static struct tracepoint *switch_tracepoint;

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
	p = current->mm ? profil_find_of(current->mm, current) : NULL;
	if (!p || profil_timer_for(p) != kind) {
		/* No switch has come between where a thread's own profile is unmapped. */
		profil_timer_here();
		return HRTIMER_NORESTART;
	}
	if (profil_tick_is_tasks(regs, 1))
		profil_tick(p, user_mode(regs), timer_rates[kind]);
	hrtimer_set_expires(timer, profil_timer_next(kind, &t->rnd));
	return HRTIMER_RESTART;
}

/* Called by the scheduler with the run queue locked and interrupts off. */
static void profil_switch(PROFIL_SWITCH_PROBE_ARGS)
{
	profil_timer_start_for(next);
}

int profil_timer_tick_start(void)
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

void profil_timer_tick_stop(void)
{
	tracepoint_probe_unregister(switch_tracepoint, profil_switch, NULL);
	tracepoint_synchronize_unregister();
	profil_timers_cancel();
}

static void profil_find_switch(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_switch"))
		switch_tracepoint = tp;
}

/* Without the tracepoint there is no timer clock, and no fast rate. */
bool profil_timer_tick_init(void)
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
void profil_timer_tick_exit(void)
{
	profil_timers_cancel();
}

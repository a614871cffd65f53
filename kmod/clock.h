/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CLOCK_H
#define _PROFIL_CLOCK_H

#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/types.h>

struct profil_run;
struct workqueue_struct;

/**
 * struct profil_clock - a source of ticks.
 * @start: make it call profil_sample(); may sleep. 0 or a negative errno.
 * @stop:  when it returns, the clock calls nothing; may sleep.
 */
struct profil_clock {
	int	(*start)(void);
	void	(*stop)(void);
};

extern const struct profil_clock profil_clock_tick;
extern const struct profil_clock profil_clock_timer;

bool profil_clock_timer_init(void);
void profil_clock_timer_exit(void);
void profil_clock_timer_here(void);
void profil_clock_timer_run(const struct profil_run *run);
bool profil_clock_tick_alive(void);

void profil_kick_threads(void);
void profil_kick_everyone(void);
void profil_kick_exit(void);

/* Unbound: what is done later is not done on a CPU that is to be left alone. */
extern struct workqueue_struct *profil_clock_wq;

/* The tick's hook is switched off, and timers stand in for it. */
extern bool profil_tick_replaced;

/*
 * The tick's rates are served by a timer on @cpu: its tick is stopped most of
 * the time, or its hook is switched off. Else by the tick's hook.
 */
static __always_inline bool profil_clock_tick_is_timer_on(int cpu)
{
	return unlikely(READ_ONCE(profil_tick_replaced)) || tick_nohz_full_cpu(cpu);
}

static __always_inline bool profil_clock_tick_is_timer(void)
{
	return profil_clock_tick_is_timer_on(smp_processor_id());
}

int profil_clock_arm(u32 rate);
void profil_clock_get(u32 rate);
void profil_clock_put(u32 rate);
void profil_clock_live(u32 rate);
u32 profil_clock_rates(void);
int profil_clock_init(void);
void profil_clock_exit(void);

#endif /* _PROFIL_CLOCK_H */

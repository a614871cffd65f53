/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CLOCK_USE_H
#define _PROFIL_CLOCK_USE_H

#include <linux/atomic.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/* Unbound: what is done later is not done on a CPU that is to be left alone. */
extern struct workqueue_struct *profil_clock_wq;

/* Queued some time after a clock has lost its last user; clock.c's. */
extern struct delayed_work profil_clock_idle;
#define PROFIL_CLOCK_IDLE_DELAY	HZ

/* The kernel lets timers follow context switches. Constant once we are loaded. */
extern bool profil_clock_have_timer;

/* Timers stand in for the tick's hook. Written under profil_clock_mutex. */
extern bool profil_tick_replaced;

/*
 * The tick's rates are served by a timer on @cpu: its tick is stopped most of
 * the time, or timers stand in for its hook. Else by the tick's hook.
 */
static __always_inline bool profil_clock_tick_is_timer_on(int cpu)
{
	return unlikely(READ_ONCE(profil_tick_replaced)) || tick_nohz_full_cpu(cpu);
}

static __always_inline bool profil_clock_tick_is_timer(void)
{
	return profil_clock_tick_is_timer_on(smp_processor_id());
}

/* Users of the tick's hook, and of the timers. */
extern atomic_t profil_tick_users;
extern atomic_t profil_timer_users;

void profil_users_get(atomic_t *users);
void profil_users_put(atomic_t *users);

bool profil_clock_uses_timer(u32 rate);
void profil_clock_get(u32 rate);
void profil_clock_put(u32 rate);
unsigned long profil_clock_idle_since(void);

#endif /* _PROFIL_CLOCK_USE_H */

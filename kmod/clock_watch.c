// SPDX-License-Identifier: GPL-2.0-only
/*
 * The watch over the tick's hook, while it is set: a timer looks once a second
 * whether it is still called, because the administrator can switch ftrace and
 * kprobes off. Then a work item has timers stand in, until it is called again.
 *
 * Layer: clock, on source.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "clock_source.h"
#include "clock_standin.h"
#include "clock_use.h"
#include "clock_watch.h"
#include "compat.h"
#include "hook_probe.h"

#define PROFIL_WATCH_PERIOD	HZ

static void profil_watch_work(struct work_struct *work);
static void profil_watch_expired(struct timer_list *timer);
static DECLARE_WORK(watch_work, profil_watch_work);
static DEFINE_TIMER(watch_timer, profil_watch_expired);
/* It has been said, since the hook was called last; under profil_clock_mutex. */
static bool watch_told;

/* Look whether the hook is called, and act on it. */
static void profil_watch(void)
{
	lockdep_assert_held(&profil_clock_mutex);
	if (!profil_tick_source.armed)
		return;
	if (profil_hook_is_alive()) {
		profil_standin_end();
		watch_told = false;
	} else if (profil_standin_begin() && !watch_told) {
		pr_notice("the tick's hook is switched off (ftrace or kprobes disabled), using timers\n");
		watch_told = true;
	}
}

static void profil_watch_work(struct work_struct *work)
{
	mutex_lock(&profil_clock_mutex);
	profil_watch();
	mutex_unlock(&profil_clock_mutex);
}

/* A timer costs a second of ticks less than a work item would. */
static void profil_watch_expired(struct timer_list *timer)
{
	if (profil_hook_is_alive() == READ_ONCE(profil_tick_replaced))
		queue_work(profil_clock_wq, &watch_work);
	mod_timer(timer, jiffies + PROFIL_WATCH_PERIOD);
}

/* The hook has been set. */
void profil_watch_begin(void)
{
	profil_watch();
	mod_timer(&watch_timer, jiffies + PROFIL_WATCH_PERIOD);
}

/* The hook goes: nobody looks any more, but a work item may be left. */
void profil_watch_end(void)
{
	lockdep_assert_held(&profil_clock_mutex);
	timer_delete_sync(&watch_timer);
}

/* Wait for a look that has begun, and forget one that has not. */
void profil_watch_cancel(void)
{
	lockdep_assert_not_held(&profil_clock_mutex);
	cancel_work_sync(&watch_work);
}

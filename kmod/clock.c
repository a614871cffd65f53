// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arming the clocks that a run needs, and disarming those that nobody uses.
 *
 * A clock is armed before the first run that uses it goes live, in the call
 * that starts it, and disarmed by a work item some time after the last one
 * stopped: a program that turns profiling on and off all the time does not
 * patch kernel code each time, and nothing sleeps where the last user goes
 * (in the tick, or under the mmap lock).
 *
 * Arming and disarming patch kernel code, which interrupts every CPU. So a clock
 * is disarmed only when nobody has started or stopped anything for a second, and
 * over all users no more often than PROFIL_DISARM_EVERY and PROFIL_DISARM_BURST
 * say; until then it stays armed.
 *
 * To take the tick's hook away can take long: the kernel waits until each task
 * that was preempted in the kernel has left it or slept (synchronize_rcu_tasks()),
 * and one that hardly runs takes as long as its owner likes. No start waits for
 * that: the hook is removed without the mutex, and meanwhile timers stand in.
 *
 * A kernel that has nothing to hook the tick by is served by timers alone.
 *
 * Layer: clock, on source.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/time64.h>
#include <linux/workqueue.h>
#include <linux/profil.h>

#include "clock.h"
#include "clock_source.h"
#include "clock_standin.h"
#include "clock_use.h"
#include "clock_watch.h"
#include "kick.h"
#include "timer.h"
#include "timer_tick.h"

static bool restrict_fastprof;
module_param(restrict_fastprof, bool, 0644);
MODULE_PARM_DESC(restrict_fastprof, "refuse the 1 ms rate with EACCES (N)");

/* How often clocks are disarmed, in the long run, and how often in a row. */
#define PROFIL_DISARM_EVERY	(10UL * HZ)
#define PROFIL_DISARM_BURST	6

/* The hook is being removed; under profil_clock_mutex. */
static bool tick_leaves;
/*
 * When the next disarm would be, if all of them had been PROFIL_DISARM_EVERY
 * apart; under profil_clock_mutex. It may be early by all but one of a burst.
 */
static unsigned long disarm_even = INITIAL_JIFFIES;

/* The kernel has neither ftrace nor kprobes, or not the one that was asked for. */
static int profil_tick_unhooked(void)
{
	if (!profil_clock_have_timer) {
		pr_err_once("the kernel has nothing to see ticks by\n");
		return -EOPNOTSUPP;
	}
	if (!profil_standin_begin())
		return -ENOMEM;
	pr_notice_once("the kernel has nothing to hook the tick by, using timers\n");
	return 0;
}

static int profil_tick_arm(void)
{
	int err;

	lockdep_assert_held(&profil_clock_mutex);
	if (profil_tick_source.armed)
		return 0;
	if (tick_leaves)
		return profil_standin_begin() ? 0 : -ENOMEM;
	err = profil_source_arm(&profil_tick_source);
	if (err == -EOPNOTSUPP)
		return profil_tick_unhooked();
	if (err)
		return err;
	profil_watch_begin();
	return 0;
}

/* The hook, or the timers that stand in for it, serve nobody. */
static bool profil_tick_is_idle(void)
{
	lockdep_assert_held(&profil_clock_mutex);
	return (profil_tick_source.armed || profil_tick_replaced) &&
	       !atomic_read(&profil_tick_users);
}

/*
 * Without the mutex meanwhile, if there are timers: in the disarming work only,
 * or alone.
 */
static void profil_tick_remove(void)
{
	lockdep_assert_held(&profil_clock_mutex);
	if (!profil_clock_have_timer) {
		profil_source_disarm(&profil_tick_source);
		return;
	}
	profil_tick_source.armed = false;
	tick_leaves = true;
	mutex_unlock(&profil_clock_mutex);
	profil_tick_source.stop();
	mutex_lock(&profil_clock_mutex);
	tick_leaves = false;
}

static void profil_tick_disarm(void)
{
	if (!profil_tick_is_idle())
		return;
	if (profil_tick_source.armed) {
		profil_watch_end();
		profil_tick_remove();
	}
	/* Timers have stood in for it, for who started meanwhile. */
	if (atomic_read(&profil_tick_users))
		profil_tick_arm();
	else
		profil_standin_end();
}

/* Disarm what nobody uses. */
static void profil_disarm(void)
{
	lockdep_assert_held(&profil_clock_mutex);
	profil_tick_disarm();
	profil_source_disarm(&profil_timer_source);
}

/* How long to wait before something may be disarmed, in jiffies. */
static unsigned long profil_disarm_wait(void)
{
	unsigned long at = profil_clock_idle_since() + PROFIL_CLOCK_IDLE_DELAY;
	unsigned long now = jiffies, credit;

	lockdep_assert_held(&profil_clock_mutex);
	credit = disarm_even - (PROFIL_DISARM_BURST - 1) * PROFIL_DISARM_EVERY;
	if (time_before(at, credit))
		at = credit;
	return time_after(at, now) ? at - now : 0;
}

static void profil_disarm_account(void)
{
	unsigned long now = jiffies;

	lockdep_assert_held(&profil_clock_mutex);
	if (time_before(disarm_even, now))
		disarm_even = now;
	disarm_even += PROFIL_DISARM_EVERY;
}

static void profil_disarm_work(struct work_struct *work)
{
	unsigned long wait = 0;

	mutex_lock(&profil_clock_mutex);
	/* Else the last one that goes comes here again. */
	if (profil_tick_is_idle() || profil_source_is_idle(&profil_timer_source)) {
		wait = profil_disarm_wait();
		if (!wait) {
			profil_disarm_account();
			profil_disarm();
		}
	}
	mutex_unlock(&profil_clock_mutex);
	if (wait)
		queue_delayed_work(profil_clock_wq, &profil_clock_idle, wait);
}

static int profil_clock_arm_locked(u32 rate)
{
	int err = 0;

	lockdep_assert_held(&profil_clock_mutex);
	if (profil_clock_uses_timer(rate))
		err = profil_source_arm(&profil_timer_source);
	/* Timers that serve already do: who has refused the hook is not asked by each start. */
	if (err || profil_tick_replaced)
		return err;
	return profil_tick_arm();
}

/*
 * Count a user of @rate's clocks and see that they run. 0 or a negative errno;
 * -EINTR if the caller was killed while others patched code.
 */
int profil_clock_arm(u32 rate)
{
	int err;

	might_sleep();
	profil_clock_get(rate);
	err = mutex_lock_killable(&profil_clock_mutex);
	if (!err) {
		err = profil_clock_arm_locked(rate);
		mutex_unlock(&profil_clock_mutex);
	}
	if (err)
		profil_clock_put(rate);
	return err;
}

/*
 * The caller's process has gone live with a run at @rate: see to its threads
 * that run already. Here at once; on CPUs that tick, the tick finds them.
 */
void profil_clock_live(u32 rate)
{
	lockdep_assert_irqs_enabled();
	/* Pairs with profil_standin_begin(): it finds us, or we see that it is. */
	smp_mb();
	if (!profil_clock_uses_timer(rate) && !READ_ONCE(profil_tick_replaced))
		return;
	local_irq_disable();
	profil_timer_here();
	local_irq_enable();
	profil_kick_threads();
}

/* Bit (1 << enum profil_rate) for each rate that would be granted now. */
u32 profil_clock_rates(void)
{
	u32 rates = BIT(PROFIL_RATE_CLOCK) | BIT(PROFIL_RATE_TICK);

	/* Without high resolution, timers expire in ticks, which may be too few. */
	if (profil_clock_have_timer && hrtimer_resolution <= NSEC_PER_MSEC &&
	    !READ_ONCE(restrict_fastprof))
		rates |= BIT(PROFIL_RATE_FAST);
	return rates;
}

int profil_clock_init(void)
{
	INIT_DELAYED_WORK(&profil_clock_idle, profil_disarm_work);
	profil_clock_wq = alloc_workqueue("profil_clock", WQ_UNBOUND, 0);
	if (!profil_clock_wq)
		return -ENOMEM;
	profil_clock_have_timer = profil_timer_tick_init();
	return 0;
}

/* No users are left. */
void profil_clock_exit(void)
{
	/* It may be removing the hook. */
	profil_watch_cancel();
	cancel_delayed_work_sync(&profil_clock_idle);
	mutex_lock(&profil_clock_mutex);
	profil_disarm();
	WARN_ON_ONCE(profil_tick_source.armed || profil_timer_source.armed);
	mutex_unlock(&profil_clock_mutex);
	/* They find nothing armed, and do not queue themselves again. */
	profil_watch_cancel();
	cancel_delayed_work_sync(&profil_clock_idle);
	profil_kick_exit();
	profil_timer_tick_exit();
	destroy_workqueue(profil_clock_wq);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which clock serves which rate, and when it is armed.
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
 * While the tick clock is armed, a timer looks once a second whether its hook is
 * still called: the administrator can switch ftrace and kprobes off. Then a work
 * item has the timer clock stand in, until the hook is called again.
 *
 * The tick clock is armed for the fast rate too: it finds the threads that ran
 * already when their process was started.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/time64.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <linux/profil.h>

#include "clock.h"
#include "compat.h"
#include "rate.h"

static bool restrict_fastprof;
module_param(restrict_fastprof, bool, 0644);
MODULE_PARM_DESC(restrict_fastprof, "refuse the 1 ms rate with EACCES (N)");

/* How long nothing must have been stopped before a clock is disarmed. */
#define PROFIL_DISARM_DELAY	HZ
/* How often clocks are disarmed, in the long run, and how often in a row. */
#define PROFIL_DISARM_EVERY	(10UL * HZ)
#define PROFIL_DISARM_BURST	6
/* How often to look whether the tick's hook is alive. */
#define PROFIL_WATCH_PERIOD	HZ

struct profil_clock_use {
	const struct profil_clock	*clock;
	atomic_t			users;
	bool				armed;	/* under clock_mutex */
};

static DEFINE_MUTEX(clock_mutex);
static struct profil_clock_use tick_use = { .clock = &profil_clock_tick };
static struct profil_clock_use timer_use = { .clock = &profil_clock_timer };
static bool have_timer;

bool profil_tick_replaced;	/* written under clock_mutex */
static bool tick_leaves;	/* its hook is being removed; under clock_mutex */
struct workqueue_struct *profil_clock_wq;

/* When a user of a clock went last. */
static unsigned long last_put = INITIAL_JIFFIES;
/*
 * When the next disarm would be, if all of them had been PROFIL_DISARM_EVERY
 * apart; under clock_mutex. It may be early by all but one of a burst.
 */
static unsigned long disarm_even = INITIAL_JIFFIES;

static void profil_disarm_work(struct work_struct *work);
static void profil_watch_work(struct work_struct *work);
static void profil_watch_expired(struct timer_list *timer);
static DECLARE_DELAYED_WORK(disarm_work, profil_disarm_work);
static DECLARE_WORK(watch_work, profil_watch_work);
static DEFINE_TIMER(watch_timer, profil_watch_expired);

/*
 * Fully ordered: who takes a clock and then sees that another user is still
 * there, knows that it is armed and stays so (profil_clock_get()).
 */
static void profil_use_get(struct profil_clock_use *use)
{
	WARN_ON_ONCE(atomic_inc_return(&use->users) <= 0);
}

/* Any context: a work item that is queued already finds out what to wait for. */
static void profil_use_put(struct profil_clock_use *use)
{
	int users;

	WRITE_ONCE(last_put, jiffies);
	/* Fully ordered; pairs with profil_use_get(). */
	users = atomic_dec_return(&use->users);
	WARN_ON_ONCE(users < 0);
	if (!users)
		queue_delayed_work(profil_clock_wq, &disarm_work, PROFIL_DISARM_DELAY);
}

/* The user has been counted: a disarm that comes between sees it. */
static int profil_use_arm(struct profil_clock_use *use)
{
	int err;

	lockdep_assert_held(&clock_mutex);
	if (use->armed)
		return 0;
	err = use->clock->start();
	use->armed = !err;
	return err;
}

static bool profil_use_is_idle(const struct profil_clock_use *use)
{
	lockdep_assert_held(&clock_mutex);
	return use->armed && !atomic_read(&use->users);
}

static void profil_use_disarm(struct profil_clock_use *use)
{
	if (!profil_use_is_idle(use))
		return;
	use->clock->stop();
	use->armed = false;
}

/* Constant for each rate: tick_nohz_full_enabled() is decided at boot. */
static bool profil_uses_timer(u32 rate)
{
	return rate == PROFIL_RATE_FAST || (tick_nohz_full_enabled() && have_timer);
}

/* Stand in for the tick's hook, or no longer. */
static void profil_replace_tick(bool replace)
{
	lockdep_assert_held(&clock_mutex);
	if (replace == profil_tick_replaced || !have_timer)
		return;
	if (!replace) {
		WRITE_ONCE(profil_tick_replaced, false);
		profil_use_put(&timer_use);
		return;
	}
	profil_use_get(&timer_use);
	if (profil_use_arm(&timer_use)) {
		profil_use_put(&timer_use);
		return;
	}
	WRITE_ONCE(profil_tick_replaced, true);
	/* Pairs with profil_clock_live(). */
	smp_mb();
	if (!tick_leaves)
		pr_notice("the tick's hook is switched off (ftrace or kprobes disabled), using timers\n");
	profil_kick_everyone();
}

/* Look whether the tick's hook is called, and act on it. */
static void profil_watch(void)
{
	lockdep_assert_held(&clock_mutex);
	if (!tick_use.armed)
		return;
	profil_replace_tick(!profil_clock_tick_alive());
}

static void profil_watch_work(struct work_struct *work)
{
	mutex_lock(&clock_mutex);
	profil_watch();
	mutex_unlock(&clock_mutex);
}

/* A timer costs a second of ticks less than a work item would. */
static void profil_watch_expired(struct timer_list *timer)
{
	if (profil_clock_tick_alive() == READ_ONCE(profil_tick_replaced))
		queue_work(profil_clock_wq, &watch_work);
	mod_timer(timer, jiffies + PROFIL_WATCH_PERIOD);
}

static int profil_tick_arm(void)
{
	int err;

	lockdep_assert_held(&clock_mutex);
	if (tick_use.armed)
		return 0;
	if (tick_leaves) {
		profil_replace_tick(true);
		return profil_tick_replaced ? 0 : -ENOMEM;
	}
	err = profil_use_arm(&tick_use);
	if (err)
		return err;
	profil_watch();
	mod_timer(&watch_timer, jiffies + PROFIL_WATCH_PERIOD);
	return 0;
}

/* The hook, or the timers that stand in for it, serve nobody. */
static bool profil_tick_is_idle(void)
{
	lockdep_assert_held(&clock_mutex);
	return (tick_use.armed || profil_tick_replaced) && !atomic_read(&tick_use.users);
}

/*
 * Without the mutex meanwhile, if there are timers: in the disarming work only,
 * or alone.
 */
static void profil_tick_unhook(void)
{
	lockdep_assert_held(&clock_mutex);
	if (!have_timer) {
		profil_use_disarm(&tick_use);
		return;
	}
	tick_use.armed = false;
	tick_leaves = true;
	mutex_unlock(&clock_mutex);
	tick_use.clock->stop();
	mutex_lock(&clock_mutex);
	tick_leaves = false;
}

static void profil_tick_disarm(void)
{
	if (!profil_tick_is_idle())
		return;
	if (tick_use.armed) {
		timer_delete_sync(&watch_timer);
		profil_tick_unhook();
	}
	/* Timers have stood in for it, for who started meanwhile. */
	if (atomic_read(&tick_use.users))
		profil_tick_arm();
	else
		profil_replace_tick(false);
}

/* Disarm what nobody uses. */
static void profil_disarm(void)
{
	lockdep_assert_held(&clock_mutex);
	profil_tick_disarm();
	profil_use_disarm(&timer_use);
}

/* How long to wait before something may be disarmed, in jiffies. */
static unsigned long profil_disarm_wait(void)
{
	unsigned long at = READ_ONCE(last_put) + PROFIL_DISARM_DELAY;
	unsigned long now = jiffies, credit;

	lockdep_assert_held(&clock_mutex);
	credit = disarm_even - (PROFIL_DISARM_BURST - 1) * PROFIL_DISARM_EVERY;
	if (time_before(at, credit))
		at = credit;
	return time_after(at, now) ? at - now : 0;
}

static void profil_disarm_charge(void)
{
	unsigned long now = jiffies;

	lockdep_assert_held(&clock_mutex);
	if (time_before(disarm_even, now))
		disarm_even = now;
	disarm_even += PROFIL_DISARM_EVERY;
}

static void profil_disarm_work(struct work_struct *work)
{
	unsigned long wait = 0;

	mutex_lock(&clock_mutex);
	/* Else the last one that goes comes here again. */
	if (profil_tick_is_idle() || profil_use_is_idle(&timer_use)) {
		wait = profil_disarm_wait();
		if (!wait) {
			profil_disarm_charge();
			profil_disarm();
		}
	}
	mutex_unlock(&clock_mutex);
	if (wait)
		queue_delayed_work(profil_clock_wq, &disarm_work, wait);
}

static int profil_clock_arm_locked(u32 rate)
{
	int err = 0;

	lockdep_assert_held(&clock_mutex);
	if (profil_uses_timer(rate))
		err = profil_use_arm(&timer_use);
	return err ?: profil_tick_arm();
}

/*
 * Count a user of @rate's clocks and see that they run. May sleep; -EINTR if the
 * caller was killed while others patched code.
 */
int profil_clock_arm(u32 rate)
{
	int err;

	profil_clock_get(rate);
	err = mutex_lock_killable(&clock_mutex);
	if (!err) {
		err = profil_clock_arm_locked(rate);
		mutex_unlock(&clock_mutex);
	}
	if (err)
		profil_clock_put(rate);
	return err;
}

/*
 * One more user of clocks that another one has armed. Any context.
 *
 * Fully ordered against what follows: the caller counts itself first and then
 * looks whether that other user, who was counted when it went live, is live
 * still. It takes itself off, fully ordered, before its profil_clock_put(); so
 * if it is seen live, the count has not been 0 in between.
 */
void profil_clock_get(u32 rate)
{
	profil_use_get(&tick_use);
	if (profil_uses_timer(rate))
		profil_use_get(&timer_use);
}

/* One user less, whom no tick finds any more. Any context. */
void profil_clock_put(u32 rate)
{
	profil_use_put(&tick_use);
	if (profil_uses_timer(rate))
		profil_use_put(&timer_use);
}

/*
 * The caller's process has gone live with a run at @rate: see to its threads
 * that run already. Here at once; on CPUs that tick, the tick finds them.
 */
void profil_clock_live(u32 rate)
{
	/* Pairs with profil_replace_tick(): it finds us, or we see that it is. */
	smp_mb();
	if (!profil_uses_timer(rate) && !READ_ONCE(profil_tick_replaced))
		return;
	local_irq_disable();
	profil_clock_timer_here();
	local_irq_enable();
	profil_kick_threads();
}

/* Bit (1 << enum profil_rate) for each rate that would be granted now. */
u32 profil_clock_rates(void)
{
	u32 rates = BIT(PROFIL_RATE_CLOCK) | BIT(PROFIL_RATE_TICK);

	if (have_timer && !READ_ONCE(restrict_fastprof))
		rates |= BIT(PROFIL_RATE_FAST);
	return rates;
}

int profil_clock_init(void)
{
	profil_clock_wq = alloc_workqueue("profil_clock", WQ_UNBOUND, 0);
	if (!profil_clock_wq)
		return -ENOMEM;
	have_timer = profil_clock_timer_init();
	return 0;
}

/* No users are left. */
void profil_clock_exit(void)
{
	/* It may be removing the hook. */
	cancel_work_sync(&watch_work);
	cancel_delayed_work_sync(&disarm_work);
	mutex_lock(&clock_mutex);
	profil_disarm();
	WARN_ON_ONCE(tick_use.armed || timer_use.armed);
	mutex_unlock(&clock_mutex);
	/* They find nothing armed, and do not queue themselves again. */
	cancel_work_sync(&watch_work);
	cancel_delayed_work_sync(&disarm_work);
	profil_kick_exit();
	profil_clock_timer_exit();
	destroy_workqueue(profil_clock_wq);
}

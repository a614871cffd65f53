// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who uses which clock: counted here, where a run ends in the tick or under the
 * mmap lock. To arm a clock and to disarm it sleeps, and is clock.c's.
 *
 * Each run uses the tick's hook: the fast rate too, because the hook finds the
 * threads that ran already when their process was started.
 *
 * Layer: ground.
 */
#include <linux/bug.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/profil.h>

#include "clock_use.h"

struct workqueue_struct *profil_clock_wq;
struct delayed_work profil_clock_idle;
bool profil_clock_have_timer;
bool profil_tick_replaced;
atomic_t profil_tick_users;
atomic_t profil_timer_users;

/* When a user of a clock went last. */
static unsigned long last_put = INITIAL_JIFFIES;

unsigned long profil_clock_idle_since(void)
{
	return READ_ONCE(last_put);
}

/*
 * Fully ordered: who takes a clock and then sees that another user is still
 * there, knows that it is armed and stays so (profil_clock_get()).
 */
void profil_users_get(atomic_t *users)
{
	WARN_ON_ONCE(atomic_inc_return(users) <= 0);
}

/*
 * From ticks and from under any lock of ours, but from no NMI. A work item that is
 * queued already finds out itself what to wait for.
 */
void profil_users_put(atomic_t *users)
{
	int left;

	WARN_ON_ONCE(in_nmi());
	WRITE_ONCE(last_put, jiffies);
	/* Fully ordered; pairs with profil_users_get(). */
	left = atomic_dec_return(users);
	WARN_ON_ONCE(left < 0);
	if (!left)
		queue_delayed_work(profil_clock_wq, &profil_clock_idle,
				   PROFIL_CLOCK_IDLE_DELAY);
}

/* Constant for each rate: tick_nohz_full_enabled() is decided at boot. */
bool profil_clock_uses_timer(u32 rate)
{
	return rate == PROFIL_RATE_FAST ||
	       (tick_nohz_full_enabled() && profil_clock_have_timer);
}

/*
 * One more user of clocks that another one has armed. Takes no lock.
 *
 * Fully ordered against what follows: the caller counts itself first and then
 * looks whether that other user, who was counted when it went live, is live
 * still. It takes itself off, fully ordered, before its profil_clock_put(); so
 * if it is seen live, the count has not been 0 in between.
 */
void profil_clock_get(u32 rate)
{
	profil_users_get(&profil_tick_users);
	if (profil_clock_uses_timer(rate))
		profil_users_get(&profil_timer_users);
}

/* One user less, whom no tick finds any more. As profil_users_put(). */
void profil_clock_put(u32 rate)
{
	profil_users_put(&profil_tick_users);
	if (profil_clock_uses_timer(rate))
		profil_users_put(&profil_timer_users);
}

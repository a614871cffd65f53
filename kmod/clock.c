// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which clock serves which rate, and when it is armed.
 *
 * A clock is armed before the first run that uses it goes live, in the call
 * that starts it, and disarmed by a work item some time after the last one
 * stopped: a program that turns profiling on and off all the time does not
 * patch kernel code each time, and nothing sleeps where the last user goes
 * (in the tick, or under the mmap lock).
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/time64.h>
#include <linux/workqueue.h>
#include <linux/profil.h>

#include "clock.h"
#include "rate.h"

/* How long a clock without users stays armed. */
#define PROFIL_DISARM_DELAY	HZ

struct profil_clock_use {
	const struct profil_clock	*clock;
	atomic_t			users;
	bool				armed;	/* under clock_mutex */
	struct delayed_work		disarm;
};

static void profil_clock_disarm(struct work_struct *work);

static DEFINE_MUTEX(clock_mutex);

static struct profil_clock_use tick_use = {
	.clock	= &profil_clock_tick,
	.disarm	= __DELAYED_WORK_INITIALIZER(tick_use.disarm, profil_clock_disarm, 0),
};

static struct profil_clock_use *profil_clock_of(u32 rate)
{
	return &tick_use;
}

static void profil_clock_disarm(struct work_struct *work)
{
	struct profil_clock_use *use =
		container_of(to_delayed_work(work), struct profil_clock_use, disarm);

	mutex_lock(&clock_mutex);
	if (use->armed && !atomic_read(&use->users)) {
		use->clock->stop();
		use->armed = false;
	}
	mutex_unlock(&clock_mutex);
}

/* Count a user of @rate's clock and see that it runs. May sleep. */
int profil_clock_arm(u32 rate)
{
	struct profil_clock_use *use = profil_clock_of(rate);
	int err = 0;

	/* Counted first: a disarm that comes between sees us. */
	atomic_inc(&use->users);
	mutex_lock(&clock_mutex);
	if (!use->armed) {
		err = use->clock->start();
		use->armed = !err;
	}
	mutex_unlock(&clock_mutex);
	if (err)
		atomic_dec(&use->users);
	return err;
}

/* One more user of a clock that is known to be armed. Any context. */
void profil_clock_get(u32 rate)
{
	atomic_inc(&profil_clock_of(rate)->users);
}

/* One user less. Any context. */
void profil_clock_put(u32 rate)
{
	struct profil_clock_use *use = profil_clock_of(rate);

	if (atomic_dec_and_test(&use->users))
		schedule_delayed_work(&use->disarm, PROFIL_DISARM_DELAY);
}

/* Mean CPU time between two samples, in nanoseconds. */
u64 profil_clock_period(u32 rate)
{
	switch (rate) {
	case PROFIL_RATE_FAST:
		return NSEC_PER_MSEC;
	case PROFIL_RATE_TICK:
		return NSEC_PER_SEC / HZ;
	default:
		return NSEC_PER_SEC / PROFIL_CLOCK_HZ;
	}
}

/* No users are left. */
void profil_clock_exit(void)
{
	cancel_delayed_work_sync(&tick_use.disarm);
	profil_clock_disarm(&tick_use.disarm.work);
}

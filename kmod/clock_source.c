// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two sources of ticks, and which of them are armed: the tick's hook, and
 * the timers.
 *
 * Layer: clock, on source.
 */
#include <linux/lockdep.h>

#include "clock_source.h"
#include "clock_use.h"
#include "hook.h"
#include "timer_tick.h"

DEFINE_MUTEX(profil_clock_mutex); /* arming and disarming */

struct profil_source profil_tick_source = {
	.start	= profil_hook_attach,
	.stop	= profil_hook_detach,
	.users	= &profil_tick_users,
};

struct profil_source profil_timer_source = {
	.start	= profil_timer_tick_start,
	.stop	= profil_timer_tick_stop,
	.users	= &profil_timer_users,
};

/* The user has been counted: a disarm that comes between sees it. */
int profil_source_arm(struct profil_source *source)
{
	int err;

	lockdep_assert_held(&profil_clock_mutex);
	if (source->armed)
		return 0;
	err = source->start();
	source->armed = !err;
	return err;
}

bool profil_source_is_idle(const struct profil_source *source)
{
	lockdep_assert_held(&profil_clock_mutex);
	return source->armed && !atomic_read(source->users);
}

/* If nobody uses it. */
void profil_source_disarm(struct profil_source *source)
{
	if (!profil_source_is_idle(source))
		return;
	source->stop();
	source->armed = false;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers that stand in for the tick's hook: while it is switched off, while one
 * that is being removed cannot be set again, and where the kernel has none. Rare,
 * all of them.
 *
 * Layer: clock, on source.
 */
#include <linux/lockdep.h>
#include <linux/compiler.h>

#include "clock_source.h"
#include "clock_standin.h"
#include "clock_use.h"
#include "kick.h"

/* Have timers stand in, if they do not yet. False: they cannot. */
bool profil_standin_begin(void)
{
	lockdep_assert_held(&profil_clock_mutex);
	if (profil_tick_replaced)
		return true;
	if (!profil_clock_have_timer)
		return false;
	profil_users_get(&profil_timer_users);
	if (profil_source_arm(&profil_timer_source)) {
		profil_users_put(&profil_timer_users);
		return false;
	}
	WRITE_ONCE(profil_tick_replaced, true);
	/* Pairs with profil_clock_live(). */
	smp_mb();
	profil_kick_everyone();
	return true;
}

/* The hook is called again, or nobody needs it. */
void profil_standin_end(void)
{
	lockdep_assert_held(&profil_clock_mutex);
	if (!profil_tick_replaced)
		return;
	WRITE_ONCE(profil_tick_replaced, false);
	profil_users_put(&profil_timer_users);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick as a source: update_process_times(), which the kernel calls once a
 * tick on each CPU, from the timer interrupt, and which begins with a static call
 * that is ours while a profile runs.
 *
 * Layer: source, on tick.
 */
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/profil_tick.h>
#include <linux/rcupdate.h>

#include "hook.h"
#include "hook_tick.h"

/* For whoever looks: is the call made? */
static bool tick_hooked;
module_param(tick_hooked, bool, 0444);
MODULE_PARM_DESC(tick_hooked, "state, not to be set: ticks are looked at");

static void profil_static_tick(void)
{
	profil_tick_hit();
}

/* Set it. 0; may sleep, and patches kernel code. */
int profil_hook_attach(void)
{
	might_sleep();
	static_call_update(profil_tick_call, profil_static_tick);
	tick_hooked = true;
	return 0;
}

/* Remove it. When it returns, no tick is seen any more. */
void profil_hook_detach(void)
{
	might_sleep();
	static_call_update(profil_tick_call, NULL);
	tick_hooked = false;
	/* A tick is an interrupt, and that is a read-side critical section. */
	synchronize_rcu();
}

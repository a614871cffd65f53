// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick as a source: update_process_times(), which the kernel calls once a
 * tick on each CPU, from the timer interrupt, and which begins with a static call
 * that is ours from load to unload.
 */
#include <linux/kernel.h>
#include <linux/profil_tick.h>
#include <linux/rcupdate.h>

#include "tick/tick.h"

static void hook_hit(void)
{
	profil_hook_hit();
}

/* 0. Patches kernel text. */
int __init profil_hook_attach(void)
{
	might_sleep();
	static_call_update(profil_tick_call, hook_hit);
	return 0;
}

/* When it returns, no tick is seen any more. */
void profil_hook_detach(void)
{
	might_sleep();
	static_call_update(profil_tick_call, NULL);
	/* A tick is an interrupt, and that is a read-side critical section. */
	synchronize_rcu();
}

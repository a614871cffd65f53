/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What /dev/profil does at the begin of each update_process_times(), while it is
 * there; nothing otherwise.
 */
#ifndef _LINUX_PROFIL_TICK_H
#define _LINUX_PROFIL_TICK_H

#include <linux/static_call.h>

#ifdef CONFIG_PROFIL_TICK

/* The signature of the call; there is no such function. */
void profil_tick_none(void);

/*
 * Called in the timer's hard interrupt, with interrupts disabled. Who takes a
 * function away calls synchronize_rcu() before it goes.
 */
DECLARE_STATIC_CALL(profil_tick_call, profil_tick_none);

static __always_inline void profil_tick_call(void)
{
	static_call_cond(profil_tick_call)();
}

#else

static inline void profil_tick_call(void) { }

#endif

#endif /* _LINUX_PROFIL_TICK_H */

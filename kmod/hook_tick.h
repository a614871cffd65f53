/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tick's hook does, however it has been set: the main road of a tick
 * begins here, and goes on in sample.c.
 *
 * Layer: source, on tick.
 */
#ifndef _PROFIL_HOOK_TICK_H
#define _PROFIL_HOOK_TICK_H

#include <linux/bits.h>
#include <linux/sched.h>
#include <linux/profil.h>
#include <asm/irq_regs.h>

#include "clock_use.h"
#include "live.h"
#include "profile.h"
#include "sample.h"
#include "timer.h"

#define PROFIL_TICK_FUNCTION	"update_process_times"
#define PROFIL_TICK_RATES	(BIT(PROFIL_RATE_CLOCK) | BIT(PROFIL_RATE_TICK))

/*
 * A tick of this CPU. Most find a process that is not profiled: for those, and
 * for one that has been and still maps its page, only what it takes to know that.
 */
static __always_inline void profil_tick_hit(void)
{
	struct mm_struct *mm = current->mm;
	struct pt_regs *regs;
	struct profil *p;

	if (!mm)
		return;
	p = profil_find_of(mm, current);
	if (likely(!p) || !profil_is_live(p))
		return;
	regs = get_irq_regs();
	if (unlikely(profil_clock_tick_is_timer()))
		profil_timer_here();
	else if (regs && profil_tick_is_tasks(regs, 1))
		profil_tick(p, user_mode(regs), PROFIL_TICK_RATES);
}

#endif /* _PROFIL_HOOK_TICK_H */

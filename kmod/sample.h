/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_SAMPLE_H
#define _PROFIL_SAMPLE_H

#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include "profile.h"

/*
 * Whether a tick that interrupted @regs is the task's: not if it interrupted an
 * interrupt. @own: how many hard interrupts we are ourselves.
 */
static __always_inline bool profil_tick_is_tasks(struct pt_regs *regs, unsigned int own)
{
	return user_mode(regs) ||
	       (!in_serving_softirq() && hardirq_count() == own * HARDIRQ_OFFSET);
}

void profil_tick(struct profil *p, bool user, unsigned int rates);

#endif /* _PROFIL_SAMPLE_H */

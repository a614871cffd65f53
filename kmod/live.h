/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_LIVE_H
#define _PROFIL_LIVE_H

#include <linux/atomic.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/profil.h>

#include "profile.h"

/*
 * The profile that this CPU is writing for. While it is set, profil_drain()
 * waits; interrupts are off in between.
 */
DECLARE_PER_CPU(struct profil *, profil_inflight);

/*
 * Is there anything to enter for? A hint that may be old by the time it is read:
 * if not, a tick is as good as one that came before the start or after the stop.
 */
static __always_inline bool profil_is_live(const struct profil *p)
{
	return READ_ONCE(p->live);
}

/* Begin to write for @p; the run to write for is good until profil_leave(). */
static inline struct profil_run *profil_enter(struct profil *p)
{
	lockdep_assert_irqs_disabled();
	this_cpu_write(profil_inflight, p);
	/* Pairs with profil_drain(): it sees us, or we see what it waits for. */
	smp_mb();
	return READ_ONCE(p->live);
}

static inline void profil_leave(void)
{
	lockdep_assert_irqs_disabled();
	/* Pairs with the acquire in profil_drain(). */
	smp_store_release(this_cpu_ptr(&profil_inflight), NULL);
}

/* The counts of the status page are added to by several CPUs at once. */
static inline void profil_stat_add(__u64 *count, u64 n)
{
	atomic64_add(n, (atomic64_t *)count);
}

void profil_publish(struct profil *p, struct profil_run *run);
bool profil_unpublish(struct profil *p, struct profil_run *run, u32 state);
void profil_drain(struct profil *p);

#endif /* _PROFIL_LIVE_H */

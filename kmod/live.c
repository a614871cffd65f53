// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ticks see of a profile: the run that is live in it.
 *
 * The tick finds a profile in the hash under RCU (interrupts are off), enters
 * it by naming it in profil_inflight, and only then looks at what is live in
 * it. Who takes something away from the tick changes the profile first and
 * then waits until no CPU names it: microseconds, where a grace period would
 * be milliseconds.
 *
 * Layer: profile, on ground.
 */
#include <linux/lockdep.h>
#include <linux/processor.h>

#include "clock_use.h"
#include "compat.h"
#include "live.h"
#include "run.h"

DEFINE_PER_CPU(struct profil *, profil_inflight);

/* From now on, ticks are charged to @run, whose clock has been taken. */
void profil_publish(struct profil *p, struct profil_run *run)
{
	lockdep_assert_held(&p->lock);
	WARN_ON_ONCE(p->stage != PROFIL_LIVE || p->live);
	/* Pairs with the address dependency on READ_ONCE() in profil_enter(). */
	smp_store_release(&p->live, run);
}

/*
 * Take @run away from the ticks that come from now on. True for the one caller
 * that did it. Takes no lock, so ticks may call it, and who holds one; it does not
 * wait for those that have entered, which is profil_drain()'s business.
 */
bool profil_unpublish(struct profil *p, struct profil_run *run, u32 state)
{
	if (cmpxchg(&p->live, run, NULL) != run)
		return false;
	WRITE_ONCE(p->status->state, state);
	profil_clock_put(run->rate);
	return true;
}

/*
 * Wait until no CPU is writing for @p on the strength of what it saw before.
 * A tick that is waited for may want @p->lock.
 */
void profil_drain(struct profil *p)
{
	int cpu;

	/* Or it would wait for itself. */
	lockdep_assert_not_held(&p->lock);
	lockdep_assert_irqs_enabled();
	/* Pairs with profil_enter(). */
	smp_mb();
	for_each_possible_cpu(cpu) {
		/* Pairs with profil_leave(). */
		while (smp_load_acquire(per_cpu_ptr(&profil_inflight, cpu)) == p)
			cpu_relax();
	}
}

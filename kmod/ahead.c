// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of a sample array, brought in before they are needed.
 *
 * A sample array moves into one new page after another. A thread that stays in
 * the kernel, in one long system call, cannot bring them in, and what waits in
 * the slots is soon more than they hold. So they are brought in as far ahead as
 * such a call may last: when the array is started, and whenever samples have
 * reached another page.
 *
 * Layer: deferral, on profile.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include "ahead.h"
#include "delay.h"
#include "profile.h"
#include "rate.h"
#include "run.h"

/* A system call may last that long without a sample lost ... */
#define PROFIL_AHEAD_SECONDS	10
/* ... in so many threads at least, if there are that many CPUs ... */
#define PROFIL_AHEAD_THREADS	4
/* ... but a process is not given more than this without need. */
#define PROFIL_AHEAD_BYTES	SZ_1M
#define PROFIL_AHEAD_NS		(500 * NSEC_PER_USEC)

/* How many bytes of the array to have beyond the page that is written to. */
static u64 profil_ahead_bytes(const struct profil_run *run)
{
	u64 samples = div64_u64(PROFIL_AHEAD_SECONDS * NSEC_PER_SEC,
				profil_rate_period(run->rate));
	unsigned int threads = run->flags & PROFIL_THREAD ?
			       1 : max(get_nr_threads(current), PROFIL_AHEAD_THREADS);
	u64 bytes = samples * min(threads, num_online_cpus()) * run->width;

	return PAGE_ALIGN(min_t(u64, bytes, PROFIL_AHEAD_BYTES)) + PAGE_SIZE;
}

/*
 * The address of a page that is wanted, or 0. What it says it does not say
 * again; the tick that stores in the next page asks anew.
 */
static u64 profil_ahead_next(struct profil *p)
{
	struct profil_run *run;
	u64 addr = 0, at, end;

	raw_spin_lock_irq(&p->lock);
	run = p->run;
	if (p->stage != PROFIL_LIVE || run->mode != PROFIL_MODE_SAMPLES ||
	    READ_ONCE(p->live) != run || p->slots.n)
		goto unlock;
	at = run->buf + profil_run_nsamples(run) * run->width;
	end = min(run->buf + run->capacity * run->width,
		  (at & PAGE_MASK) + profil_ahead_bytes(run));
	run->ahead = max(run->ahead, at & PAGE_MASK);
	WRITE_ONCE(run->ask, div_u64((at | ~PAGE_MASK) - run->buf, run->width) + 1);
	if (run->ahead < end) {
		addr = run->ahead;
		run->ahead += PAGE_SIZE;
	}
unlock:
	raw_spin_unlock_irq(&p->lock);
	return addr;
}

/* Time is up: the next tick that stores anything calls back for the rest. */
static void profil_ahead_later(struct profil *p)
{
	raw_spin_lock_irq(&p->lock);
	if (p->stage == PROFIL_LIVE)
		WRITE_ONCE(p->run->ask, 0);
	raw_spin_unlock_irq(&p->lock);
}

/**
 * profil_ahead() - bring in pages that samples will be stored in.
 * @p:        the profile of the caller's address space
 * @patience: PROFIL_TRY: give up when the mmap lock is taken, and leave the rest to
 *            another call when time is up
 *
 * A page that cannot be brought in is no fault before a sample is due there.
 */
void profil_ahead(struct profil *p, enum profil_patience patience)
{
	u64 until = ktime_get_ns() + PROFIL_AHEAD_NS, addr;

	might_sleep();
	while ((addr = profil_ahead_next(p))) {
		profil_delay();
		if (profil_page_in(p->mm, addr, 1, patience) ||
		    fatal_signal_pending(current))
			return;
		if (patience == PROFIL_TRY && ktime_get_ns() >= until) {
			profil_ahead_later(p);
			return;
		}
		cond_resched();
	}
}

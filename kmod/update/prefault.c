// SPDX-License-Identifier: GPL-2.0-only
/*
 * Brings pages of a sample array in before samples need them.
 *
 * Samples reach one new page after another. A thread in a long system call cannot
 * bring them in, and the ring of deferred updates is soon full. So pages are brought
 * in as far ahead as such a call may last: when the array is started, and whenever
 * samples reach another page.
 */
#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include "update/update.h"

/* Length of a system call in which no sample is lost. */
#define CALL_SECONDS	10
/* This many threads may be in such calls at once, if there are as many CPUs. */
#define CALL_THREADS	4
/* Maximum memory that is brought in ahead. */
#define MAX_BYTES	SZ_1M
#define MAX_NS		(500 * NSEC_PER_USEC)
/* With PROFIL_LAZY, a page for each so many samples. */
#define LAZY_SAMPLES	16

/* How many bytes to bring in beyond the page that samples have reached, once there are some. */
static u64 most_ahead(const struct profil_run *run)
{
	u64 samples = div64_u64(CALL_SECONDS * NSEC_PER_SEC,
				profil_clock_period(run->rate));
	unsigned int threads = run->flags & PROFIL_THREAD ?
			       1 : max(get_nr_threads(current), CALL_THREADS);
	u64 bytes = samples * min(threads, num_online_cpus()) * run->width;

	/* docs/security.md states the number of pages. */
	BUILD_BUG_ON(MAX_BYTES / PAGE_SIZE + 1 > 257);
	return PAGE_ALIGN(min_t(u64, bytes, MAX_BYTES));
}

/* The same after @n samples. */
static u64 bytes_ahead(const struct profil_run *run, u64 n)
{
	u64 most = most_ahead(run);

	return run->flags & PROFIL_LAZY ? min(n / LAZY_SAMPLES * PAGE_SIZE, most) : most;
}

/* After @n samples: the first sample behind their page, or the next one with more ahead. */
static u64 next_ask(const struct profil_run *run, u64 n)
{
	u64 at = run->buf + n * run->width;
	u64 behind = div_u64((at | ~PAGE_MASK) - run->buf, run->width) + 1;

	return bytes_ahead(run, n) == most_ahead(run) ? behind :
	       min(behind, round_up(n + 1, LAZY_SAMPLES));
}

/* Where to bring pages in up to, after @n samples. */
static u64 end_ahead(const struct profil_run *run, u64 n)
{
	u64 at = run->buf + n * run->width;

	return min(run->buf + run->capacity * run->width,
		   (at & PAGE_MASK) + PAGE_SIZE + bytes_ahead(run, n));
}

/*
 * The address of the next page to bring in, or 0. It returns each page once, unless
 * ask_again() goes back; the tick that stores in the next page pushes a callback again.
 */
static u64 next_page(struct profil *p)
{
	struct profil_run *run;
	u64 addr = 0, n, at, end;

	raw_spin_lock_irq(&p->lock);
	run = p->run;
	if (p->stage != PROFIL_LIVE || run->mode != PROFIL_MODE_SAMPLES ||
	    READ_ONCE(p->live) != run || p->deferred.n)
		goto unlock;
	n = profil_run_nsamples(run);
	at = run->buf + n * run->width;
	end = end_ahead(run, n);
	run->ahead = max(run->ahead, at & PAGE_MASK);
	WRITE_ONCE(run->ask, next_ask(run, n));
	if (run->ahead < end) {
		addr = run->ahead;
		run->ahead += PAGE_SIZE;
	}
unlock:
	raw_spin_unlock_irq(&p->lock);
	return addr;
}

/*
 * Bring in the first pages of the sample array of @run, which is not published yet, so this
 * time is not in the profile. A page that cannot be brought in is not a fault until a sample
 * needs it.
 */
void profil_prefault_begin(struct profil *p, struct profil_run *run)
{
	u64 end = end_ahead(run, 0);

	might_sleep();
	run->ahead = run->buf & PAGE_MASK;
	run->ask = next_ask(run, 0);
	while (run->ahead < end && !fatal_signal_pending(current)) {
		profil_test_delay();
		if (profil_page_in(p->mm, run->ahead, 1, true, PROFIL_WAIT))
			return;
		run->ahead += PAGE_SIZE;
		cond_resched();
	}
}

/* The next tick pushes a callback for the pages from @addr on. */
static void ask_again(struct profil *p, u64 addr)
{
	raw_spin_lock_irq(&p->lock);
	if (p->stage == PROFIL_LIVE) {
		p->run->ahead = min(p->run->ahead, addr);
		WRITE_ONCE(p->run->ask, 0);
	}
	raw_spin_unlock_irq(&p->lock);
}

/*
 * Bring in pages for later samples of the caller's profile. Leaves the rest to another call
 * when the mmap lock is taken or time is up.
 */
void profil_prefault(struct profil *p)
{
	u64 until = ktime_get_ns() + MAX_NS, addr;
	int err;

	might_sleep();
	while ((addr = next_page(p))) {
		profil_test_delay();
		err = profil_page_in(p->mm, addr, 1, true, PROFIL_TRY);
		if (fatal_signal_pending(current) || (err && err != -EAGAIN))
			return;
		if (err || ktime_get_ns() >= until) {
			ask_again(p, err ? addr : addr + PAGE_SIZE);
			return;
		}
		cond_resched();
	}
}

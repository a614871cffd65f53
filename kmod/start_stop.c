// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that start and stop a profile of the calling process, and read its counts. A
 * start makes the mapping if the caller has none. It is undone if its report cannot
 * be delivered.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>

#include "request.h"
#include "stack/stack.h"
#include "tick/tick.h"
#include "update/update.h"

/* The counts of @p so far; exact if no run is live and no update waits. */
static void copy_status(struct profil *p, struct profil_status *status)
{
	lockdep_assert_held(&p->lock);
	*status = *p->status;
	status->nsamples = p->run ? profil_run_nsamples(p->run) : 0;
}

/* Apply the updates that wait now, and read the counts. 0 or -EINTR. */
int profil_status_read(struct profil *p, struct profil_status *status)
{
	int err = profil_apply_deferred(p, PROFIL_WAIT);

	if (err)
		return err;
	raw_spin_lock_irq(&p->lock);
	copy_status(p, status);
	raw_spin_unlock_irq(&p->lock);
	return 0;
}

/*
 * Charge no more ticks to @p's run, and wait for those that have begun: each is
 * written or deferred then. False if there is no run.
 */
static bool quiesce(struct profil *p)
{
	/* The run is replaced only under @control, and freed with the profile. */
	struct profil_run *run = READ_ONCE(p->run);

	if (!run)
		return false;
	if (run->rate == PROFIL_RATE_FAST || profil_clock_some_timers())
		profil_timer_settle(p);
	profil_unpublish(p, run, PROFIL_STATE_OFF);
	profil_drain(p);
	profil_test_delay();
	raw_spin_lock_irq(&p->lock);
	if (p->stage == PROFIL_LIVE)
		profil_set_stage(p, PROFIL_STOPPING);
	raw_spin_unlock_irq(&p->lock);
	return true;
}

/* Make @run the current run. 0; -ESTALE: the page has been unmapped. */
static int begin_run(struct profil *p, struct profil_run *run)
{
	WRITE_ONCE(p->next, NULL);
	if (p->stage == PROFIL_CLOSED)
		return -ESTALE;
	profil_set_stage(p, PROFIL_LIVE);
	WRITE_ONCE(p->run, run);
	profil_status_reset(p, run);
	if (profil_stack_has(run))
		profil_stack_begin(p, run);
	profil_publish(p, run);
	return 0;
}

/*
 * Report the run, unless @last is NULL, and end it, unless the profile is closed, and begin
 * @next, if there is one. No update is deferred any more. Once the lock is released, no code
 * writes for the old run.
 */
static int end_run(struct profil *p, struct profil_run *next, struct profil_status *last)
{
	struct profil_run *run = NULL;
	int err = 0;

	raw_spin_lock_irq(&p->lock);
	if (last)
		copy_status(p, last);
	if (p->stage == PROFIL_STOPPING) {
		WARN_ON_ONCE(p->deferred.n || p->live);
		profil_set_stage(p, PROFIL_STOPPED);
		run = p->run;
		/* profil_find_task() looks without the lock. */
		WRITE_ONCE(p->run, NULL);
		p->status->state = PROFIL_STATE_OFF;
		p->status->nsamples = 0;
	}
	if (next)
		err = begin_run(p, next);
	raw_spin_unlock_irq(&p->lock);
	profil_run_put(run);
	return err;
}

/*
 * Wait for forks that have given the run to a child. After the call the caller may
 * use the buffers for other data, which must not get into the child's copy. A fork
 * holds the mmap lock until it has copied all memory. 0 or -EINTR.
 */
static int wait_for_forks(struct profil *p)
{
	int err;

	/*
	 * It is cleared only under @control. A later fork does not find the run live. It
	 * may take p->next, and a later stop waits for it.
	 */
	if (!READ_ONCE(p->forked))
		return 0;
	err = mmap_read_lock_killable(p->mm);
	if (err)
		return err;
	raw_spin_lock_irq(&p->lock);
	WRITE_ONCE(p->forked, false);
	raw_spin_unlock_irq(&p->lock);
	mmap_read_unlock(p->mm);
	return 0;
}

/*
 * Stop the run, and begin @next, if there is one. 0; -EINTR, a fatal signal: ticks
 * have stopped, and the next call applies the updates; or an error of begin_run().
 */
static int stop(struct profil *p, struct profil_run *next, struct profil_status *last)
{
	int err;

	lockdep_assert_held(&p->control);
	if (quiesce(p)) {
		err = profil_apply_deferred(p, PROFIL_WAIT);
		if (!err && profil_stack_has(p->run))
			err = profil_stack_settle(p);
		err = err ?: wait_for_forks(p);
		if (err)
			return err;
		profil_test_delay();
	}
	if (next && profil_stack_has_waits(next))
		profil_waits_begin(p, next);
	return end_run(p, next, last);
}

/* Stop the run of @p, of the caller's process, and read its final counts. 0 or -EINTR. */
int profil_stop(struct profil *p, struct profil_status *last)
{
	int err = mutex_lock_killable(&p->control);

	if (err)
		return err;
	err = stop(p, NULL, last);
	mutex_unlock(&p->control);
	return err;
}

static void set_next(struct profil *p, struct profil_run *run)
{
	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(run && p->next);
	/* profil_find_task() looks without the lock. */
	WRITE_ONCE(p->next, run);
	raw_spin_unlock_irq(&p->lock);
}

/*
 * Replace the current run by @run, which is consumed on success. 0; -ESTALE: the page
 * has been unmapped; -EINTR as in stop(); -ENOMEM: the old run continues.
 */
static int replace(struct profil *p, struct profil_run *run, struct profil_status *last)
{
	int err = 0;

	lockdep_assert_held(&p->control);
	if (profil_stack_has(run))
		err = profil_stack_prepare(p, run);
	if (err)
		return err;
	if (READ_ONCE(p->run))
		set_next(p, run);
	err = stop(p, run, last);
	if (err) {
		set_next(p, NULL);
		return err;
	}
	profil_admin_switch_recheck(p);
	return 0;
}

/* Start @run, which is consumed. */
static int start(struct file *file, struct profil_run *run,
		 struct profil_status *last, u64 *page)
{
	u32 rate = run->rate, flags = run->flags;
	struct profil *p;
	int err;

	/* If another thread unmaps the page meanwhile, make a new one. */
	do {
		p = profil_mapping_get(file, run->flags & PROFIL_THREAD);
		if (IS_ERR(p)) {
			err = PTR_ERR(p);
			break;
		}
		*page = p->addr;
		/* It takes as long as the file system likes, so without @control. */
		if (run->mode == PROFIL_MODE_SAMPLES)
			profil_prefault_begin(p, run);
		err = mutex_lock_killable(&p->control);
		if (!err) {
			err = replace(p, run, last);
			mutex_unlock(&p->control);
		}
		profil_put(p);
	} while (err == -ESTALE);
	if (err)
		profil_run_put(run);
	else
		profil_timer_live(rate, flags);
	return err;
}

/* The report of @run's start could not be delivered: end @run, if it still runs. */
static void undo(struct profil_run *run)
{
	struct profil *p = profil_get(run->flags & PROFIL_THREAD);

	if (!p)
		return;
	if (!mutex_lock_killable(&p->control)) {
		if (READ_ONCE(p->run) == run)
			stop(p, NULL, NULL);
		mutex_unlock(&p->control);
	}
	profil_put(p);
}

/*
 * Check the fields that both requests have. Sets the size of @call, and opens its report to
 * @last, the address of a struct profil_status, or 0. 0; -EPERM: profiling is switched off;
 * -EINVAL: no such rate or flag; -EACCES: the rate is not granted; or an error of
 * profil_report_open().
 */
int profil_start_check(struct profil_call *call, u32 size, u32 rate, u32 flags, u64 last)
{
	int err = profil_admin_switch_check();

	if (err)
		return err;
	if (flags & ~PROFIL_REQUEST_FLAGS || rate > PROFIL_RATE_FAST ||
	    ((flags & PROFIL_RANDOM) && rate != PROFIL_RATE_FAST))
		return -EINVAL;
	if (!(profil_clock_rates() & BIT(rate)))
		return -EACCES;
	call->size = size;
	return last ? profil_report_open(&call->report, u64_to_user_ptr(last),
					 PROFIL_STATUS_SIZE_MIN) : 0;
}

/*
 * Start @run, which is consumed, or an error pointer, which is returned, in the caller's
 * profile. If there is none, make it with a mapping of @file. Report the page's address and
 * the counts of the run before to @call. 0; or a negative errno, and @run does not run
 * (unless a fatal signal comes while the start is undone).
 */
int profil_start(struct file *file, struct profil_call *call, struct profil_run *run)
{
	struct profil_status last;
	u64 page;
	int err;

	if (IS_ERR(run))
		return PTR_ERR(run);
	kref_get(&run->ref);
	err = start(file, run, call->report.to ? &last : NULL, &page);
	if (err)
		goto put;
	/* As many bytes of it as the caller's structure has. */
	if (call->size > call->page &&
	    copy_to_user(call->arg + call->page, &page,
			 min_t(size_t, sizeof(page), call->size - call->page)))
		err = -EFAULT;
	err = err ?: profil_report_send(&call->report, &last, sizeof(last));
	if (err)
		undo(run);
put:
	profil_run_put(run);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a call of the process's own does to its profile: starting, stopping, and
 * reading the counts.
 *
 * Layer: lifetime, on deferral.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "ahead.h"
#include "control.h"
#include "delay.h"
#include "live.h"
#include "objects.h"
#include "profile.h"
#include "run.h"
#include "settle.h"
#include "stack_stream.h"
#include "stacks.h"

/* The counts of @p so far; exact if nothing is live and nothing waits. */
static void profil_status_copy(struct profil *p, struct profil_status *status)
{
	lockdep_assert_held(&p->lock);
	*status = *p->status;
	status->nsamples = p->run ? profil_run_nsamples(p->run) : 0;
}

/* What waits when it is called is in it, done; a carry may be left. 0 or -EINTR. */
int profil_status_read(struct profil *p, struct profil_status *status)
{
	int err = profil_settle(p, PROFIL_WAIT);

	if (err)
		return err;
	raw_spin_lock_irq(&p->lock);
	profil_status_copy(p, status);
	raw_spin_unlock_irq(&p->lock);
	return 0;
}

/*
 * Let no tick begin for @p's run, and wait for those that have begun: they have
 * written, or wait. False if there is no run.
 */
static bool profil_quiesce(struct profil *p)
{
	struct profil_run *run;

	lockdep_assert_held(&p->control);
	/* The run is replaced only under @control, and freed with the profile. */
	run = READ_ONCE(p->run);
	if (!run)
		return false;
	profil_unpublish(p, run, PROFIL_STATE_OFF);
	profil_drain(p);
	profil_delay();
	raw_spin_lock_irq(&p->lock);
	if (p->stage == PROFIL_LIVE)
		profil_set_stage(p, PROFIL_STOPPING);
	raw_spin_unlock_irq(&p->lock);
	return true;
}

/* Each tick is in a record, or counted as in none. */
static bool profil_stacks_add_up(struct profil *p)
{
	u64 recorded = p->stacks ? p->stacks->recorded : 0;

	lockdep_assert_held(&p->lock);
	return p->status->ticks == recorded + p->status->stackless;
}

/*
 * The slots are empty: end the run, if the address space is not closed, and
 * report it. When the lock is released, nobody writes for it any more.
 */
static void profil_end_run(struct profil *p, struct profil_status *last)
{
	struct profil_run *run = NULL;

	raw_spin_lock_irq(&p->lock);
	profil_status_copy(p, last);
	if (p->stage == PROFIL_STOPPING) {
		WARN_ON_ONCE(p->slots.n || p->live);
		WARN_ON_ONCE(p->run->stacks && !profil_stacks_add_up(p));
		profil_set_stage(p, PROFIL_STOPPED);
		run = p->run;
		/* profil_find_task() looks without the lock. */
		WRITE_ONCE(p->run, NULL);
		p->status->state = PROFIL_STATE_OFF;
		p->status->nsamples = 0;
	}
	raw_spin_unlock_irq(&p->lock);
	profil_run_put(run);
}

/*
 * Let forks end that have given the run to a child: once the call returns, the
 * buffers are the caller's again, and may be something else in what a fork has
 * not copied yet. A fork keeps the mmap lock until it has copied all. 0 or
 * -EINTR.
 */
static int profil_wait_for_forks(struct profil *p)
{
	int err;

	lockdep_assert_held(&p->control);
	/*
	 * Only under @control it is cleared. A fork that comes now does not find the
	 * run live; it may take what a start has in p->next, and be waited for later.
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

/**
 * profil_stop() - stop what runs, for good.
 * @p:    the profile of the caller's address space; @control is held
 * @last: out: its final counts
 *
 * Return: 0; -EINTR: a fatal signal; ticks have stopped, what waits is left to
 * the next call.
 */
int profil_stop(struct profil *p, struct profil_status *last)
{
	int err;

	might_sleep();
	lockdep_assert_held(&p->control);
	if (profil_quiesce(p)) {
		err = profil_settle(p, PROFIL_WAIT) ?: profil_stack_stream_settle(p) ?:
		      profil_wait_for_forks(p);
		if (err)
			return err;
		profil_delay();
	}
	profil_end_run(p, last);
	return 0;
}

static void profil_set_next(struct profil *p, struct profil_run *run)
{
	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(run && p->next);
	/* profil_find_task() looks without the lock. */
	WRITE_ONCE(p->next, run);
	raw_spin_unlock_irq(&p->lock);
}

/* See that there is what the run needs for stacks. 0 or -ENOMEM. */
static int profil_stacks_prepare(struct profil *p, const struct profil_run *run)
{
	struct profil_stacks *s;

	lockdep_assert_held(&p->control);
	if (!run->stacks || p->stacks)
		return 0;
	s = profil_stacks_alloc(&p->lock);
	if (!s)
		return -ENOMEM;
	raw_spin_lock_irq(&p->lock);
	/*
	 * Pairs with the tick: a fork child that found no memory has a run with
	 * stacks already.
	 */
	smp_store_release(&p->stacks, s);
	raw_spin_unlock_irq(&p->lock);
	return 0;
}

/**
 * profil_start() - replace what runs.
 * @p:    the profile of the caller's address space; @control is held
 * @run:  what ticks see from now on, consumed if 0 is returned. Its clock has
 *        been taken.
 * @last: out: the final counts of what it replaces
 *
 * Return: 0; -ESTALE: the address space has closed the profile; -EINTR: as in
 * profil_stop(); -ENOMEM: for stacks, and what ran goes on.
 */
int profil_start(struct profil *p, struct profil_run *run, struct profil_status *last)
{
	int err;

	err = profil_stacks_prepare(p, run);
	if (err)
		return err;
	profil_set_next(p, run);
	err = profil_stop(p, last);
	if (err) {
		profil_set_next(p, NULL);
		return err;
	}
	raw_spin_lock_irq(&p->lock);
	WRITE_ONCE(p->next, NULL);
	if (p->stage == PROFIL_CLOSED) {
		err = -ESTALE;
	} else {
		profil_set_stage(p, PROFIL_LIVE);
		WRITE_ONCE(p->run, run);
		profil_status_reset(p, run);
		if (run->stacks)
			profil_stacks_begin(p->stacks);
		profil_publish(p, run);
	}
	raw_spin_unlock_irq(&p->lock);
	if (!err)
		profil_ahead(p, PROFIL_WAIT);
	return err;
}

/**
 * profil_set_table() - replace the table of objects.
 * @p:     the profile of the caller's address space
 * @table: consumed, if 0 is returned; or NULL
 *
 * Return: 0; -ESTALE: the address space has closed the profile.
 */
int profil_set_table(struct profil *p, struct profil_table *table)
{
	int err = 0;

	raw_spin_lock_irq(&p->lock);
	if (p->stage == PROFIL_CLOSED) {
		err = -ESTALE;
		goto unlock;
	}
	/* 1 is what there is without a table. */
	if (++p->generation < 2)
		p->generation = 2;
	if (table)
		table->generation = p->generation;
	swap(p->table, table);
unlock:
	raw_spin_unlock_irq(&p->lock);
	if (!err)
		profil_table_put(table);
	return err;
}

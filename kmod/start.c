// SPDX-License-Identifier: GPL-2.0-only
/*
 * A start, from the checks that all requests share to the answer: takes the
 * clock, makes the mapping if the caller has none, starts the run, and takes
 * that back if nobody can be told of it.
 *
 * Layer: entry, on lifetime and clock.
 */
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/profil.h>

#include "clock.h"
#include "clock_use.h"
#include "control.h"
#include "copy.h"
#include "enabled.h"
#include "objects.h"
#include "profile.h"
#include "run.h"
#include "start.h"
#include "unwind_current.h"

static int profil_check_common(u32 rate, u32 flags)
{
	int err = profil_enabled_check();

	if (err)
		return err;
	if (flags & ~PROFIL_REQUEST_FLAGS)
		return -EINVAL;
	if (rate > PROFIL_RATE_FAST)
		return -EINVAL;
	if ((flags & PROFIL_RANDOM) && rate != PROFIL_RATE_FAST)
		return -EINVAL;
	return profil_clock_rates() & BIT(rate) ? 0 : -EACCES;
}

/* What the caller has already of what a request with @flags is for. */
static struct profil *profil_get_for(u32 flags)
{
	return flags & PROFIL_THREAD ? profil_get_own() : profil_get(current->mm);
}

/*
 * A profile that an exited thread has left becomes the caller's own. Stopped
 * first: none of the caller's ticks are that thread's. NULL: there is none;
 * error pointers: EINTR; EBUSY: somebody else was first.
 */
static struct profil *profil_take_over(void)
{
	struct profil *p = profil_get_left();
	struct profil_status ignored;
	int err;

	if (!p)
		return NULL;
	err = mutex_lock_killable(&p->control);
	if (err)
		goto put;
	err = profil_stop(p, &ignored);
	if (!err && !profil_adopt(p))
		err = -EBUSY;
	mutex_unlock(&p->control);
	if (!err)
		return p;
put:
	profil_put(p);
	return ERR_PTR(err);
}

/*
 * The caller's profile for a request with @flags, with a reference. If it has
 * none, the mapping that carries one is made; that another thread was first shows
 * as EBUSY. Above a limit one that an exited thread has left will do.
 */
static struct profil *profil_of_caller(struct file *file, u32 flags)
{
	unsigned long offset = flags & PROFIL_THREAD ? PAGE_SIZE : 0, addr;
	struct profil *p;

	for (;;) {
		p = profil_get_for(flags);
		if (p)
			return p;
		if (fatal_signal_pending(current))
			return ERR_PTR(-EINTR);
		addr = vm_mmap(file, 0, PAGE_SIZE, PROT_READ, MAP_SHARED, offset);
		if (!IS_ERR_VALUE(addr) || (long)addr == -EBUSY)
			continue;
		if ((long)addr == -EDQUOT && flags & PROFIL_THREAD)
			p = profil_take_over();
		if (p != ERR_PTR(-EBUSY))
			return p ?: ERR_PTR(addr);
	}
}

/* Start @run in the caller's profile. */
static int profil_begin_in(struct profil *p, struct profil_run *run,
			   struct profil_status *last, __u64 *page)
{
	int err = mutex_lock_killable(&p->control);

	if (err)
		return err;
	err = profil_start(p, run, last);
	if (!err) {
		profil_enabled_recheck(p);
		*page = READ_ONCE(p->addr);
	}
	mutex_unlock(&p->control);
	return err;
}

/* Start @run, which is consumed. */
static int profil_begin(struct file *file, struct profil_run *run,
			struct profil_status *last, __u64 *page)
{
	u32 rate = run->rate;
	struct profil *p;
	int err = profil_clock_arm(rate);

	if (err)
		goto free;
	/* Another thread may unmap the page meanwhile: then a new one is made. */
	do {
		p = profil_of_caller(file, run->flags);
		if (IS_ERR(p)) {
			err = PTR_ERR(p);
			break;
		}
		err = profil_begin_in(p, run, last, page);
		profil_put(p);
	} while (err == -ESTALE);
	if (err)
		goto disarm;
	profil_clock_live(rate);
	return 0;
disarm:
	profil_clock_put(rate);
free:
	profil_run_put(run);
	return err;
}

/*
 * Nobody was told that @run has started: memory that could be written when the
 * call began has gone. It ends again, if nobody has replaced it.
 */
static void profil_undo(struct profil_run *run)
{
	struct profil *p = profil_get_for(run->flags);
	struct profil_status ignored;

	if (!p)
		return;
	if (!mutex_lock_killable(&p->control)) {
		if (READ_ONCE(p->run) == run)
			profil_stop(p, &ignored);
		mutex_unlock(&p->control);
	}
	profil_put(p);
}

/* @last is the address of a struct profil_status, or 0. */
static int profil_open_last(struct profil_report *report, u64 last)
{
	if (!last)
		return 0;
	return profil_report_open(report, u64_to_user_ptr(last),
				  PROFIL_STATUS_SIZE_MIN);
}

/**
 * profil_start_check() - check what both requests have in common, but for
 * their runs.
 * @call:  whose report is opened
 * @rate:  as in the request
 * @flags: as in the request
 * @last:  as in the request
 *
 * Return: 0; -EPERM: profiling is switched off; -EINVAL: no such rate or flag;
 * -EACCES: no clock has that rate; or what profil_report_open() returns.
 */
int profil_start_check(struct profil_call *call, u32 rate, u32 flags, u64 last)
{
	return profil_check_common(rate, flags) ?: profil_open_last(&call->report, last);
}

/**
 * profil_start_call() - start a run in the caller's profile, which is made if
 * there is none, and tell the caller of it.
 * @file: /dev/profil, for the mapping
 * @call: the request, checked; the page's address is put into it
 * @run:  what to start, or the reason why there is none; consumed
 *
 * Return: 0; or a negative errno, and @run does not run (but if a fatal signal
 * comes while it is taken back: the process ends then).
 */
int profil_start_call(struct file *file, struct profil_call *call,
		      struct profil_run *run)
{
	struct profil_status last;
	int err;

	if (IS_ERR(run))
		return PTR_ERR(run);
	kref_get(&run->ref);
	err = profil_begin(file, run, &last, call->page);
	if (err)
		goto put;
	err = profil_copy_back(call->arg, call->req, call->size) ?:
	      profil_report_send(&call->report, &last, sizeof(last));
	if (err)
		profil_undo(run);
put:
	profil_run_put(run);
	return err;
}

/* Replace the table of objects of the caller's profile, which is made if need be. */
int profil_objects_call(struct file *file, const struct profil_object_table *req)
{
	struct profil_table *table;
	struct profil *p;
	int err = profil_enabled_check();

	if (err)
		return err;
	if (!PROFIL_UNWIND_SUPPORTED)
		return -EINVAL;
	table = profil_table_copy(req);
	if (IS_ERR(table))
		return PTR_ERR(table);
	/* Another thread may unmap the page meanwhile: then a new one is made. */
	do {
		p = profil_of_caller(file, 0);
		if (IS_ERR(p)) {
			err = PTR_ERR(p);
			break;
		}
		err = profil_set_table(p, table);
		profil_put(p);
	} while (err == -ESTALE);
	if (err)
		profil_table_put(table);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does what waits in a profile's slots.
 *
 * The process itself does, oldest first: on its way back to user mode
 * (callback.c), when it asks for the status, and before it stops the profile.
 * The page is brought in without a lock; then, under the lock, the same update
 * is found still the oldest, or left alone.
 *
 * Layer: deferral, on profile.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include "defer.h"
#include "delay.h"
#include "page.h"
#include "profile.h"
#include "run.h"
#include "settle.h"
#include "update.h"

/* A page that is brought in may be gone before it is written to. */
#define PROFIL_SETTLE_TRIES	16
/* Ticks of one update that are applied before interrupts come on again. */
#define PROFIL_SETTLE_BATCH	64
/* What a thread is held up by at one return to user mode: half a fast tick. */
#define PROFIL_SETTLE_NS	(500 * NSEC_PER_USEC)

/* The update of sequence number @seq waits, and is the oldest. */
static bool profil_slot_is(struct profil *p, u64 seq)
{
	lockdep_assert_held(&p->lock);
	return p->stage != PROFIL_CLOSED && p->slots.n && p->slots.first == seq;
}

/* The oldest update has been applied once: what is left of it? False: nothing. */
static bool profil_settle_rest(struct profil *p)
{
	struct profil_slot *slot = profil_defer_oldest(p);

	if (profil_update_times(p->run, &slot->update) > 1) {
		slot->update.value--;
		return true;
	}
	profil_slot_remove(p);
	return false;
}

/*
 * The oldest update has been applied once, but for a carry. That waits behind
 * all others; without room, in the place of what is left.
 */
static void profil_settle_carry(struct profil *p, u64 addr)
{
	struct profil_update carry = {
		.addr	= addr,
		.value	= 1,
		.index	= profil_defer_oldest(p)->update.index,
	};

	profil_settle_rest(p);
	if (!profil_slot_add(p, &carry)) {
		profil_update_drop(p, p->run, &profil_defer_oldest(p)->update);
		profil_slot_remove(p);
		profil_slot_add(p, &carry);
	}
	profil_defer_set_waiting(p, true);
}

/* Apply the oldest update, as often as it goes. 0: it is done. */
static int profil_settle_apply(struct profil *p)
{
	unsigned int i;
	u64 carry;
	int err;

	for (i = 0; i < PROFIL_SETTLE_BATCH; i++) {
		err = profil_update_apply(p, p->run, &profil_defer_oldest(p)->update, &carry);
		if (err < 0)
			return err;
		if (err == PROFIL_COUNT_CARRY) {
			/* The oldest may be another now. */
			profil_settle_carry(p, carry);
			return -EINPROGRESS;
		}
		if (!profil_settle_rest(p))
			return 0;
	}
	return -EINPROGRESS;
}

/* The oldest update's page was not there for long enough: not too often. */
static int profil_settle_again(struct profil *p)
{
	struct profil_slot *slot = profil_defer_oldest(p);

	if (++slot->tries == PROFIL_SETTLE_TRIES) {
		profil_update_drop(p, p->run, &slot->update);
		profil_slot_remove(p);
	}
	return -EAGAIN;
}

/* The oldest update's page could not be brought in. */
static int profil_settle_failed(struct profil *p, int err)
{
	struct profil_slot *slot = profil_defer_oldest(p);

	/* What another thread must not do, the update's own may. */
	if (err == -EACCES && slot->pid == current->pid)
		err = -EFAULT;
	if (err == -EFAULT)
		profil_update_fault(p, p->run, &slot->update);
	else if (err == -EACCES)
		profil_update_drop(p, p->run, &slot->update);
	else
		return profil_settle_again(p);
	profil_slot_remove(p);
	return 0;
}

/*
 * Bring in what update @seq needs, a copy of whose slot is @slot, and do it. Who
 * dies meanwhile says nothing about the memory.
 */
static int profil_settle_page(struct profil *p, u64 seq, const struct profil_slot *slot,
			      enum profil_patience patience)
{
	int err;

	profil_delay();
	err = profil_page_in(p->mm, slot->update.addr, slot->bytes, patience);
	profil_delay();
	if (err == -EAGAIN || err == -EINTR)
		return err;
	if (err && fatal_signal_pending(current))
		return -EINTR;
	raw_spin_lock_irq(&p->lock);
	if (!profil_slot_is(p, seq)) {
		err = 0;
	} else if (err) {
		err = profil_settle_failed(p, err);
	} else {
		err = profil_settle_apply(p);
		if (err == -EFAULT)
			err = profil_settle_again(p);
	}
	raw_spin_unlock_irq(&p->lock);
	return err;
}

/*
 * One step towards having settled everything before update @end. 0: go on;
 * -ENOENT: done; -EAGAIN: not now; -EINTR.
 */
static int profil_settle_step(struct profil *p, u64 end, enum profil_patience patience)
{
	struct profil_slot slot;
	int err = -ENOENT;
	u64 seq;

	raw_spin_lock_irq(&p->lock);
	seq = p->slots.first;
	/* A stop must leave nothing, and carries are added behind @end. */
	if (profil_slot_is(p, seq) && (seq < end || p->stage == PROFIL_STOPPING)) {
		err = profil_settle_apply(p);
		if (err == -EFAULT)
			slot = *profil_defer_oldest(p);
	}
	raw_spin_unlock_irq(&p->lock);

	if (err == -EFAULT)
		err = profil_settle_page(p, seq, &slot, patience);
	return err == -EINPROGRESS ? 0 : err;
}

static u64 profil_settle_end(struct profil *p)
{
	u64 end;

	raw_spin_lock_irq(&p->lock);
	end = p->slots.first + p->slots.n;
	raw_spin_unlock_irq(&p->lock);
	return end;
}

/**
 * profil_settle() - do what waits now.
 * @p:        the profile of the caller's address space
 * @patience: PROFIL_TRY: give up when time is up, or the mmap lock is taken
 *
 * What ticks add meanwhile is left. After a stop has drained them, the carries
 * that settling itself adds are done as well, and a return of 0 means that the
 * slots are empty.
 *
 * Return: 0; -EAGAIN: something is left (PROFIL_TRY only); -EINTR: a fatal
 * signal.
 */
int profil_settle(struct profil *p, enum profil_patience patience)
{
	u64 end = profil_settle_end(p), until = ktime_get_ns() + PROFIL_SETTLE_NS;
	int err;

	might_sleep();
	WARN_ON_ONCE(current->mm != p->mm);
	for (;;) {
		err = profil_settle_step(p, end, patience);
		if (err == -ENOENT)
			return 0;
		if (err == -EINTR)
			return err;
		if (patience == PROFIL_TRY) {
			if (err || ktime_get_ns() >= until)
				return -EAGAIN;
		} else {
			/* User threads have the word, or the page: let them. */
			if (err)
				schedule_timeout_killable(1);
			if (fatal_signal_pending(current))
				return -EINTR;
		}
		cond_resched();
	}
}

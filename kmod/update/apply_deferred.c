// SPDX-License-Identifier: GPL-2.0-only
/*
 * Applies a profile's deferred updates, oldest first.
 *
 * The process does this on its way back to user mode (callback.c), when it reads the
 * status, and before it stops the profile. It brings the page in without a lock.
 * Then it applies the update under the lock, if that is still the oldest.
 */
#include <linux/build_bug.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>

#include "update/update.h"

/* A page that was brought in may be gone before the write. */
#define MAX_TRIES	16
/* Ticks of one update that are applied before interrupts come on again. */
#define BATCH		4
/* Longest delay of one return to user mode: half a fast tick. */
#define MAX_NS		(500 * NSEC_PER_USEC)

/* Is the update with sequence number @seq the oldest one? */
static bool is_oldest(struct profil *p, u64 seq)
{
	lockdep_assert_held(&p->lock);
	return p->stage != PROFIL_CLOSED && p->deferred.n && p->deferred.first == seq;
}

/* Apply the oldest update, BATCH times at most. 0: it is done. */
static int apply_oldest(struct profil *p)
{
	struct profil_slot *slot = profil_update_oldest(p);
	unsigned int i;
	int err;

	/*
	 * Interrupts are off for less than 50 us: at 100 ns for a word that other CPUs write
	 * to, this is 26 us. A counter that spans words has as many tries under its lock.
	 */
	BUILD_BUG_ON(BATCH * PROFIL_CAS_TRIES > 256);
	for (i = 0; i < BATCH; i++) {
		err = profil_update_apply(p, p->run, &slot->update);
		if (err)
			return err;
		if (profil_update_times(p->run, &slot->update) == 1) {
			profil_update_remove(p);
			return 0;
		}
		slot->update.value--;
	}
	return -EINPROGRESS;
}

/* The oldest update's page was gone again: try again, MAX_TRIES times in all. */
static int retry_oldest(struct profil *p)
{
	struct profil_slot *slot = profil_update_oldest(p);

	if (++slot->tries == MAX_TRIES) {
		profil_update_drop(p, p->run, &slot->update);
		profil_update_remove(p);
	}
	return -EAGAIN;
}

/* The oldest update's page could not be brought in. */
static int fail_oldest(struct profil *p, int err)
{
	struct profil_slot *slot = profil_update_oldest(p);

	/* The thread of the update may have the access that this one lacks. */
	if (err == -EACCES && slot->pid == current->pid)
		err = -EFAULT;
	if (err == -EFAULT)
		profil_update_fault(p, p->run, &slot->update);
	else if (err == -EACCES)
		profil_update_drop(p, p->run, &slot->update);
	else
		return retry_oldest(p);
	profil_update_remove(p);
	return 0;
}

/*
 * Bring in the page of update @seq and apply it. @slot is a copy of its slot. An
 * error in a dying thread says nothing about the memory.
 */
static int page_in_and_apply(struct profil *p, u64 seq, const struct profil_slot *slot,
			     enum profil_patience patience)
{
	int err;

	profil_test_delay();
	err = profil_page_in(p->mm, slot->update.addr, slot->bytes, true, patience);
	profil_test_delay();
	if (err == -EAGAIN || err == -EINTR)
		return err;
	if (err && fatal_signal_pending(current))
		return -EINTR;
	raw_spin_lock_irq(&p->lock);
	if (!is_oldest(p, seq)) {
		err = 0;
	} else if (err) {
		err = fail_oldest(p, err);
	} else {
		err = apply_oldest(p);
		if (err == -EFAULT)
			err = retry_oldest(p);
	}
	raw_spin_unlock_irq(&p->lock);
	return err;
}

/*
 * One step to apply the updates before @end. 0: call again; -ENOENT: done;
 * -EAGAIN: not now; -EINTR.
 */
static int step(struct profil *p, u64 end, enum profil_patience patience)
{
	struct profil_slot slot;
	int err = -ENOENT;
	u64 seq;

	raw_spin_lock_irq(&p->lock);
	seq = p->deferred.first;
	if (seq < end && is_oldest(p, seq)) {
		err = apply_oldest(p);
		if (err == -EFAULT)
			slot = *profil_update_oldest(p);
	}
	raw_spin_unlock_irq(&p->lock);

	if (err == -EFAULT)
		err = page_in_and_apply(p, seq, &slot, patience);
	return err == -EINPROGRESS ? 0 : err;
}

/* The sequence number behind the newest update; 0: no update waits. */
static u64 end_of_ring(struct profil *p)
{
	u64 end;

	raw_spin_lock_irq(&p->lock);
	end = p->deferred.n ? p->deferred.first + p->deferred.n : 0;
	raw_spin_unlock_irq(&p->lock);
	return end;
}

/*
 * Apply the updates of the caller's profile that wait now. Updates that ticks add meanwhile
 * stay. After a stop has drained ticks, 0 means that the ring is empty. PROFIL_TRY gives up
 * when time is up, or the mmap lock is taken: -EAGAIN, updates are left. -EINTR: a fatal
 * signal.
 */
int profil_apply_deferred(struct profil *p, enum profil_patience patience)
{
	u64 end = end_of_ring(p), until = 0;
	int err;

	might_sleep();
	WARN_ON_ONCE(current->mm != p->mm);
	if (!end)
		return 0;
	if (patience == PROFIL_TRY)
		until = ktime_get_ns() + MAX_NS;
	for (;;) {
		err = step(p, end, patience);
		if (err == -ENOENT)
			return 0;
		if (err == -EINTR)
			return err;
		if (patience == PROFIL_TRY) {
			if (err || ktime_get_ns() >= until)
				return -EAGAIN;
		} else {
			/* User threads are using the word or the page: wait a tick. */
			if (err)
				schedule_timeout_killable(1);
			if (fatal_signal_pending(current))
				return -EINTR;
		}
		cond_resched();
	}
}

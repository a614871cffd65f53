// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the stream of stacks: ticks of an entry become a record, or have none.
 *
 * All under the profile's lock, which covers the write, as in settle.c: who has
 * it and finds the profile neither live nor stopping knows that nothing is
 * written any more. If the page is absent, the lock is let go, the page brought
 * in, and everything looked at again; what is written depends on what was written
 * before, so the record is made anew.
 *
 * Layer: deferral, on profile.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/time_namespace.h>
#include <linux/uaccess.h>

#include "delay.h"
#include "live.h"
#include "profile.h"
#include "run.h"
#include "stack_stream.h"
#include "stacks.h"

/* A page that is brought in may be gone before it is written to. */
#define PROFIL_STREAM_TRIES	16
/* What a record may need at its most, and the 0 behind it. */
#define PROFIL_STREAM_AHEAD	(PROFIL_STACK_RECORD_BYTES + 1)

static bool profil_stack_is_left(const struct profil_stacks_entry *e)
{
	return READ_ONCE(e->task) == PROFIL_STACKS_LEFT;
}

/*
 * Has @e ticks that are the caller's to take? One that was left may have been
 * written meanwhile and be another thread's: until ticks are drained, those
 * change it without the lock.
 */
static bool profil_stack_is_ours(const struct profil *p, const struct profil_stacks_entry *e)
{
	const struct task_struct *task = READ_ONCE(e->task);

	lockdep_assert_held(&p->lock);
	if (task != current && task != PROFIL_STACKS_LEFT &&
	    (!task || p->stage != PROFIL_STOPPING))
		return false;
	return e->count;
}

/* The ticks of @e are somewhere now: no more than once, and nobody else's. */
static void profil_stack_done(struct profil *p, struct profil_stacks_entry *e)
{
	struct profil_stacks *s = p->stacks;

	WARN_ON_ONCE(!profil_stack_is_ours(p, e));
	e->count = 0;
	e->time_ns = 0;
	if (!profil_stack_is_left(e))
		return;
	WARN_ON_ONCE(!s->nleft);
	WRITE_ONCE(s->nleft, s->nleft - 1);
	/* Pairs with the reservation: what was in it is read by nobody any more. */
	smp_store_release(&e->task, NULL);
}

/* The ticks of @e are in no record. */
void profil_stack_drop(struct profil *p, struct profil_stacks_entry *e)
{
	lockdep_assert_held(&p->lock);
	profil_stat_add(&p->status->stackless, e->count);
	profil_stack_done(p, e);
}

/*
 * The memory goes: what is left has no record. Ticks may be in flight; what they
 * add to, its thread drops.
 */
void profil_stack_stream_drop(struct profil *p)
{
	unsigned int i;

	lockdep_assert_held(&p->lock);
	for (i = 0; p->stacks && i < PROFIL_STACKS_ENTRIES; i++)
		if (profil_stack_is_left(&p->stacks->entry[i]))
			profil_stack_drop(p, &p->stacks->entry[i]);
}

static void profil_stack_stream_end(struct profil_stacks *s)
{
	lockdep_assert_held(s->lock);
	WRITE_ONCE(s->ended, true);
}

/*
 * Faults are off. The first byte comes last: before, there is no record. Records are
 * short: words, and then bytes, are stored here, and no function looks at each.
 */
static int profil_stream_copy(u64 to, const u8 *from, size_t n)
{
	u8 __user *at = u64_to_user_ptr(to);
	size_t i = 1;
	u64 word;

	if (!user_write_access_begin(at, n))
		return -EFAULT;
	for (; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, from + i, sizeof(word));
		unsafe_put_user(word, (u64 __user *)(at + i), fault);
	}
	for (; i < n; i++)
		unsafe_put_user(from[i], at + i, fault);
	/* Pairs with who reads the stream while it is written. */
	smp_wmb();
	unsafe_put_user(from[0], at, fault);
	user_write_access_end();
	return 0;
fault:
	user_write_access_end();
	return -EFAULT;
}

/*
 * Write a record of @n bytes. There is a 0 behind it: what was there before may be
 * of another record whose page went while it was written. -EFAULT: not done;
 * -ENOSPC.
 */
static int profil_stream_put(struct profil *p, size_t n)
{
	struct profil_stacks *s = p->stacks;
	u64 room = p->run->stacks_size - s->position;
	int err;

	lockdep_assert_held(&p->lock);
	if (WARN_ON_ONCE(s->position > p->run->stacks_size) || n > room)
		return -ENOSPC;
	s->bytes[n] = 0;
	pagefault_disable();
	err = profil_stream_copy(p->run->stacks + s->position, s->bytes,
				 n + (n < room));
	pagefault_enable();
	if (err)
		return err;
	s->position += n;
	if (p->run->stacks + s->position + PROFIL_STREAM_AHEAD > s->ahead)
		WRITE_ONCE(s->behind, true);
	WRITE_ONCE(p->status->stack_bytes, s->position);
	WRITE_ONCE(p->status->stack_records, p->status->stack_records + 1);
	return 0;
}

static u32 profil_stack_id(const struct profil_stacks_entry *e)
{
	/* A thread that has not run its callback has not exited. */
	struct task_struct *task = READ_ONCE(e->task);

	if (profil_stack_is_left(e) || e->walking)
		return e->thread;
	/* Who writes may see another id: a process of another pid namespace. */
	return task_pid_nr_ns(task, task_active_pid_ns(task));
}

/* The thread's CLOCK_MONOTONIC, which its time namespace may have moved, less ours. */
static s64 profil_stack_clock_offset(void)
{
	struct timespec64 offset = {};

	timens_add_monotonic(&offset);
	return timespec64_to_ns(&offset);
}

static __always_inline struct profil_stack_record
profil_stack_describe(const struct profil *p, const struct profil_stacks_entry *e,
		      const struct profil_stack_look *look)
{
	u64 time = e->time_ns ?: ktime_get_ns();
	struct profil_stack_record record = {
		.sample		= p->run->first_sample + e->sample,
		.count		= e->count,
		.time_us	= div_u64(time + profil_stack_clock_offset(),
					  NSEC_PER_USEC),
		.thread		= profil_stack_id(e),
		.cpu		= e->cpu,
		.flags		= e->kernel ? PROFIL_STACK_KERNEL : 0,
		.end		= PROFIL_STACK_END_UNSEEN,
		.nframes	= 1,
		.frame		= &e->ip,
	};
	if (e->count > 1 && e->last_ns > time)
		record.span_us = div_u64(e->last_ns - time, NSEC_PER_USEC);
	if (e->kernel && e->syscall != -1) {
		record.flags |= PROFIL_STACK_SYSCALL;
		record.syscall = e->syscall;
	}
	/* It may have looked for ticks of a run that is over. */
	if (!look || look->run != p->stacks->run || look->from.ip != e->ip ||
	    look->from.sp != e->sp)
		return record;
	record.flags |= look->walked.flags;
	record.end = look->walked.end;
	record.nframes = look->walked.nframes;
	record.frame = look->walked.frame;
	return record;
}

/* Is it the one that the stream has? */
static bool profil_stack_name_is(const struct profil_stacks_thread *thread, const char *name)
{
	const u64 *a = (const u64 *)thread->name;
	u64 words[TASK_COMM_LEN / sizeof(u64)];

	BUILD_BUG_ON(sizeof(words) != sizeof(thread->name) || TASK_COMM_LEN != 16);
	/* Others may be changing it: then the next record has it. */
	data_race(memcpy(words, name, sizeof(words)));
	return !((words[0] ^ a[0]) | (words[1] ^ a[1]));
}

/* Only the thread itself tells its name, if it has another one than the stream. */
static noinline int profil_stream_name(struct profil *p, struct profil_stacks_thread *thread,
				       const struct profil_stack_record *of)
{
	struct profil_stack_record record = { .flags = PROFIL_STACK_NAME, .thread = of->thread };
	char name[TASK_COMM_LEN];
	int err;

	/* As above. */
	data_race(memcpy(name, current->comm, sizeof(name)));
	name[TASK_COMM_LEN - 1] = '\0';
	record.name = name;
	err = profil_stream_put(p, profil_stack_encode(&p->stacks->stream, NULL, &record,
						       p->stacks->bytes));
	if (err)
		return err;
	profil_stack_encoded(&p->stacks->stream, NULL, &record);
	memcpy(thread->name, name, sizeof(name));
	return 0;
}

static int profil_stream_write(struct profil *p, struct profil_stacks_entry *e,
			       const struct profil_stack_look *look)
{
	struct profil_stacks *s = p->stacks;
	struct profil_stacks_thread *thread;
	struct profil_stack_record record = profil_stack_describe(p, e, look);
	int err = 0;

	thread = profil_stacks_thread(s, record.thread);
	if (READ_ONCE(e->task) == current &&
	    unlikely(!profil_stack_name_is(thread, current->comm)))
		err = profil_stream_name(p, thread, &record);
	if (!err)
		err = profil_stream_put(p, profil_stack_encode(&s->stream, thread->last,
							       &record, s->bytes));
	if (err)
		return err;
	profil_stack_encoded(&s->stream, thread->last, &record);
	s->recorded += e->count;
	profil_stack_done(p, e);
	return 0;
}

/* 0: nothing is left to do; -EFAULT: its page is not there. */
static int profil_stack_write_try(struct profil *p, struct profil_stacks_entry *e,
				  const struct profil_stack_look *look)
{
	int err = -ENOSPC;

	lockdep_assert_held(&p->lock);
	if (!profil_stack_is_ours(p, e))
		return 0;
	if ((p->stage == PROFIL_LIVE || p->stage == PROFIL_STOPPING) &&
	    !p->stacks->ended)
		err = profil_stream_write(p, e, look);
	if (err == -ENOSPC) {
		if (p->stage != PROFIL_CLOSED)
			profil_stack_stream_end(p->stacks);
		profil_stack_drop(p, e);
		err = 0;
	}
	return err;
}

/* Where a record goes, in which run, and how long it may be. */
struct profil_stream_place {
	u32		run;
	u64		at;
	unsigned int	bytes;
};

static struct profil_stream_place profil_stream_next(const struct profil *p)
{
	const struct profil_stacks *s = p->stacks;

	lockdep_assert_held(&p->lock);
	return (struct profil_stream_place) {
		.run	= s->run,
		.at	= p->run->stacks + s->position,
		.bytes	= min_t(u64, PROFIL_STREAM_AHEAD,
				p->run->stacks_size - s->position),
	};
}

/* The next record still goes there; there is a run as long as there are ticks. */
static bool profil_stream_is_at(const struct profil *p,
				const struct profil_stream_place *place)
{
	struct profil_stream_place now = profil_stream_next(p);

	return now.run == place->run && now.at == place->at;
}

/*
 * The page of @place cannot be had; which says nothing about another one. What one
 * thread must not write, others may.
 */
static int profil_stack_write_failed(struct profil *p, struct profil_stacks_entry *e,
				     const struct profil_stream_place *place, int err)
{
	if (err == -EINTR || fatal_signal_pending(current))
		return -EINTR;
	if (err != -EFAULT && err != -EACCES)
		return -EAGAIN;
	raw_spin_lock_irq(&p->lock);
	if (!profil_stack_is_ours(p, e)) {
		err = 0;
	} else if (!profil_stream_is_at(p, place)) {
		err = -EAGAIN;
	} else {
		if (err == -EFAULT && p->stage != PROFIL_CLOSED)
			profil_stack_stream_end(p->stacks);
		profil_stack_drop(p, e);
		err = 0;
	}
	raw_spin_unlock_irq(&p->lock);
	return err;
}

/**
 * profil_stack_write() - write a record of the ticks of an entry, if there are any.
 * @p:        the profile of the caller's address space
 * @e:        one of its entries: the caller's own, or one that is left; or any,
 *            once ticks are drained
 * @look:     what its thread has found; NULL: nobody has looked
 * @patience: PROFIL_TRY: do not wait for the mmap lock
 *
 * Return: 0: it has no ticks any more, or they are no more the caller's to write;
 * -EAGAIN: not now; -EINTR: a fatal signal.
 */
int profil_stack_write(struct profil *p, struct profil_stacks_entry *e,
		       const struct profil_stack_look *look, enum profil_patience patience)
{
	struct profil_stream_place place;
	unsigned int tries;
	int err;

	might_sleep();
	for (tries = 0; tries < PROFIL_STREAM_TRIES; tries++) {
		raw_spin_lock_irq(&p->lock);
		err = profil_stack_write_try(p, e, look);
		if (err)
			place = profil_stream_next(p);
		raw_spin_unlock_irq(&p->lock);
		if (!err)
			return 0;
		profil_delay();
		err = profil_page_in(p->mm, place.at, place.bytes, patience);
		profil_delay();
		if (err)
			return profil_stack_write_failed(p, e, &place, err);
	}
	return -EAGAIN;
}

/* Write records of what threads have left, unless that has to wait. */
void profil_stack_write_left(struct profil *p)
{
	struct profil_stacks *s = p->stacks;
	unsigned int i;

	for (i = 0; READ_ONCE(s->nleft) && i < PROFIL_STACKS_ENTRIES; i++)
		if (profil_stack_is_left(&s->entry[i]) &&
		    profil_stack_write(p, &s->entry[i], NULL, PROFIL_TRY))
			return;
}

/* It has been tried often enough: the stream ends. */
static void profil_stack_give_up(struct profil *p, struct profil_stacks_entry *e)
{
	raw_spin_lock_irq(&p->lock);
	if (profil_stack_is_ours(p, e)) {
		profil_stack_stream_end(p->stacks);
		profil_stack_drop(p, e);
	}
	raw_spin_unlock_irq(&p->lock);
}

/* 0; -EINTR: a fatal signal. */
static int profil_stack_settle(struct profil *p, struct profil_stacks_entry *e)
{
	unsigned int tries;

	for (tries = 0; tries < PROFIL_STREAM_TRIES; tries++) {
		if (!profil_stack_write(p, e, NULL, PROFIL_WAIT))
			return 0;
		if (fatal_signal_pending(current))
			return -EINTR;
		schedule_timeout_killable(1);
	}
	profil_stack_give_up(p, e);
	return 0;
}

/**
 * profil_stack_stream_settle() - have no ticks wait for their stacks.
 * @p: the profile of the caller's address space; ticks have been drained
 *
 * Return: 0; -EINTR: a fatal signal; the rest is left to the next call.
 */
int profil_stack_stream_settle(struct profil *p)
{
	unsigned int i;
	int err;

	might_sleep();
	lockdep_assert_held(&p->control);
	for (i = 0; p->stacks && i < PROFIL_STACKS_ENTRIES; i++) {
		err = profil_stack_settle(p, &p->stacks->entry[i]);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

/* The address of a page that records will soon be written to, or 0. */
static u64 profil_stack_stream_ahead_next(struct profil *p)
{
	struct profil_stacks *s = p->stacks;
	struct profil_stream_place place;
	u64 at = 0, end;

	raw_spin_lock_irq(&p->lock);
	/* The run may be another one by now, without stacks. */
	if (p->stage == PROFIL_LIVE && p->run->stacks && !s->ended) {
		place = profil_stream_next(p);
		end = place.at + place.bytes;
		at = max(place.at, s->ahead);
		if (at < end)
			s->ahead = PAGE_ALIGN(at + 1);
		else
			at = 0;
	}
	if (!at)
		WRITE_ONCE(s->behind, false);
	raw_spin_unlock_irq(&p->lock);
	return at;
}

/* So that a write seldom finds its page absent. What fails here, fails there. */
void profil_stack_stream_ahead(struct profil *p)
{
	u64 at;

	while (READ_ONCE(p->stacks->behind) && (at = profil_stack_stream_ahead_next(p)))
		if (profil_page_in(p->mm, at, 1, PROFIL_TRY))
			break;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the stream of stacks: ticks of an entry become a record, or are counted as
 * stackless.
 *
 * The profile's lock covers each write, as in apply_deferred.c: once the profile is
 * neither live nor stopping, nothing is written. If the page is absent, the lock is
 * dropped, the page is brought in, and everything is checked again. A record depends on
 * those before it, so it is encoded again.
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

#include "compat.h"
#include "profile.h"
#include "run.h"
#include "stack/stack.h"
#include "stack/state.h"
#include "unwind/unwind.h"

/* A page that was brought in may be gone before the write. */
#define STREAM_TRIES	16
/* The longest record, and the zeros behind it. */
#define RECORD_MOST	(PROFIL_STACK_RECORD_BYTES + PROFIL_STACKS_ZEROS)

/*
 * Does @e have ticks that the caller may take? It may take its own, and once ticks are
 * drained, those of all threads. Until then threads change their entries without the
 * lock.
 */
static __always_inline bool is_ours(const struct profil *p, struct profil_stacks_entry *e)
{
	const struct task_struct *task = READ_ONCE(e->task);

	lockdep_assert_held(&p->lock);
	return (task == current || (task && p->stage == PROFIL_STOPPING)) &&
	       (unlikely(e->wait) ? profil_wait_load(e) : e->count);
}

/* The ticks of @e are in a record, or counted as stackless; or its samples of waits are. */
static void end_entry(struct profil *p, struct profil_stacks_entry *e)
{
	WARN_ON_ONCE(!e->count);
	if (e->wait)
		e->wait->of[e->runnable].count = 0;
	e->time_ns = 0;
	/* Pairs with unreserve() in capture.c: its thread may free the entry now. */
	smp_store_release(&e->count, 0);
}

/* Count the ticks of @e as stackless, or its samples of waits as lost. */
void profil_stream_drop_entry(struct profil *p, struct profil_stacks_entry *e)
{
	lockdep_assert_held(&p->lock);
	do {
		profil_stat_add(e->wait ? &p->status->waits_lost : &p->status->stackless,
				e->count);
		end_entry(p, e);
	} while (e->wait && is_ours(p, e));
}

/* The stream of this run ends before the ticks of @e. */
static void end_stream(struct profil *p, struct profil_stacks_entry *e)
{
	WRITE_ONCE(p->stacks->ended, true);
	profil_stream_drop_entry(p, e);
}

/*
 * Faults are off. The first byte is written last: it makes the record valid. Records are
 * short, so this is faster than copy_to_user().
 */
static __always_inline int copy_out(u64 to, const u8 *from, size_t n)
{
	u8 __user *at = u64_to_user_ptr(to);
	size_t i = 1;
	u64 word;

	/* Not words at any address: see read_words(). */
	if (!IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS)) {
		if (!access_ok(at, n) || __copy_to_user_inatomic(at + 1, from + 1, n - 1))
			return -EFAULT;
		/* As below. */
		smp_wmb();
		return __put_user(from[0], at);
	}
	if (!user_write_access_begin(at, n))
		return -EFAULT;
	profil_tags_ignore();
	for (; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, from + i, sizeof(word));
		unsafe_put_user(word, (u64 __user *)(at + i), fault);
	}
	for (; i < n; i++)
		unsafe_put_user(from[i], at + i, fault);
	/* Pairs with readers of the stream in user space. */
	smp_wmb();
	unsafe_put_user(from[0], at, fault);
	profil_tags_compare();
	user_write_access_end();
	return 0;
fault:
	profil_tags_compare();
	user_write_access_end();
	return -EFAULT;
}

/*
 * Write a record of @n bytes, and zeros behind it. The memory there may hold part of a
 * record: an earlier write stops when its page goes away. -EFAULT: not done; -ENOSPC.
 */
static __always_inline int put_record(struct profil *p, size_t n)
{
	struct profil_stacks *s = p->stacks;
	struct profil_status *status = p->status;
	u64 room = p->run->stacks_size - s->position;
	int err;

	lockdep_assert_held(&p->lock);
	if (WARN_ON_ONCE(s->position > p->run->stacks_size) || n > room)
		return -ENOSPC;
	memset(s->writer->bytes + n, 0, PROFIL_STACKS_ZEROS);
	profil_faults_off();
	/* One byte, words, and at the end of the memory a rest. */
	err = copy_out(p->run->stacks + s->position, s->writer->bytes,
		       min_t(u64, 1 + round_up(n, sizeof(u64)), room));
	profil_faults_on();
	if (err)
		return err;
	s->position += n;
	WRITE_ONCE(status->stack_bytes, s->position);
	WRITE_ONCE(status->stack_records, status->stack_records + 1);
	return 0;
}

/* The id of the thread that has @e. */
u32 profil_stream_thread_id(const struct profil_stacks_entry *e)
{
	/* A thread that has not run its callback has not exited. */
	struct task_struct *task = READ_ONCE(e->task);

	if (e->walking)
		return e->thread;
	/* The caller may be in another pid namespace. */
	return task_pid_nr_ns(task, task_active_pid_ns(task));
}

/* The thread's CLOCK_MONOTONIC, in its time namespace, minus the kernel's. */
static s64 clock_offset(void)
{
	struct timespec64 offset = {};

	timens_add_monotonic(&offset);
	return timespec64_to_ns(&offset);
}

/* Is the walk one of the ticks of @e? Else it was for those of an earlier run. */
static __always_inline bool is_of(const struct profil *p, const struct profil_stacks_entry *e,
				  const struct profil_stack_look *look)
{
	return look && look->run == p->stacks->run && look->from.ip == e->ip &&
	       look->from.sp == e->sp;
}

static __always_inline struct profil_stack_record
describe(const struct profil *p, const struct profil_stacks_entry *e)
{
	const struct profil_stacks *s = p->stacks;
	u64 time = e->time_ns ?: ktime_get_ns();
	struct profil_stack_record record = {
		.sample		= p->run->first_sample + e->sample,
		.count		= e->count,
		.time_us	= div_u64(time + s->clock_offset, NSEC_PER_USEC),
		.thread		= profil_stream_thread_id(e),
		.cpu		= e->cpu,
		.flags		= e->wait ? PROFIL_STACK_WAIT :
				  e->kernel ? PROFIL_STACK_KERNEL : 0,
	};
	if (e->count > 1 && e->last_ns > time)
		record.span_us = div_u64(e->last_ns - time, NSEC_PER_USEC);
	if (e->kernel && e->syscall != -1) {
		record.flags |= PROFIL_STACK_SYSCALL;
		record.syscall = e->syscall;
	}
	if (e->runnable)
		record.flags |= PROFIL_STACK_RUNNABLE;
	return record;
}

/*
 * Takes the stack of a walk. Frames that are left in the trail are got only if the
 * thread's last record is not the one that has them already.
 */
static __always_inline void take_stack(struct profil_stack_record *record,
				       struct profil_walked *walked,
				       const struct profil_stacks_thread *thread)
{
	record->flags |= walked->flags;
	record->end = walked->end;
	record->nframes = walked->nframes;
	record->frame = walked->frame;
	if (unlikely(walked->left &&
		     (!thread->record || walked->record != thread->record ||
		      WARN_ON_ONCE(walked->left > thread->last->nframes)))) {
		profil_trail_fill(walked->trail, walked->frame + walked->nframes - walked->left,
				  walked->left);
		walked->left = 0;
	}
	record->same = walked->left;
}

/* Is @name the one in the stream? */
static bool name_is(const struct profil_stacks_thread *thread, const char *name)
{
	const u64 *a = (const u64 *)thread->name;
	u64 first, second;

	BUILD_BUG_ON(sizeof(thread->name) != 16 || TASK_COMM_LEN != 16);
	/* Another thread may be changing it; then the next record has the new name. */
	data_race(memcpy(&first, name, sizeof(first)));
	/* Likewise. */
	data_race(memcpy(&second, name + sizeof(first), sizeof(second)));
	return !((first ^ a[0]) | (second ^ a[1]));
}

/* The thread itself writes its name, if the stream has another one. */
static noinline int write_name(struct profil *p, struct profil_stacks_thread *thread,
			       const struct profil_stack_record *of)
{
	struct profil_stack_record record = { .flags = PROFIL_STACK_NAME, .thread = of->thread };
	char name[TASK_COMM_LEN];
	int err;

	/* As above. */
	data_race(memcpy(name, current->comm, sizeof(name)));
	name[TASK_COMM_LEN - 1] = '\0';
	record.name = name;
	err = put_record(p, profil_stack_encode(&p->stacks->stream, NULL, &record,
						p->stacks->writer->bytes));
	if (err)
		return err;
	profil_stack_encoded(&p->stacks->stream, NULL, &record);
	memcpy(thread->name, name, sizeof(name));
	return 0;
}

/* The thread's last stack in the stream is that of @walked. */
static __always_inline void told_stack(struct profil_stacks *s,
				       struct profil_stacks_thread *thread,
				       struct profil_walked *walked)
{
	/* The next callback allocates it: many threads end after one record. */
	if (unlikely(!thread->last)) {
		s->lacking = thread;
		WRITE_ONCE(s->full, true);
		return;
	}
	thread->record = ++s->records;
	if (unlikely(s->records == PROFIL_STACKS_SOON))
		WRITE_ONCE(s->full, true);
	walked->record = thread->record;
	if (walked->trail)
		walked->trail->record = thread->record;
}

static __always_inline int write_record(struct profil *p, struct profil_stacks_entry *e,
					struct profil_stack_look *look)
{
	struct profil_stacks *s = p->stacks;
	struct profil_stack_record record = describe(p, e);
	struct profil_stacks_thread *thread = profil_stack_thread(s, record.thread);
	bool seen = is_of(p, e, look);
	int err = 0;

	/* The compiler would add up its address again for each field. */
	OPTIMIZER_HIDE_VAR(thread);
	if (likely(seen)) {
		take_stack(&record, &look->walked, thread);
	} else {
		record.end = PROFIL_STACK_END_UNSEEN;
		record.nframes = 1;
		record.frame = &e->ip;
	}
	if (READ_ONCE(e->task) == current &&
	    unlikely(!name_is(thread, current->comm)))
		err = write_name(p, thread, &record);
	if (!err)
		err = put_record(p, profil_stack_encode(&s->stream, thread->last,
							&record, s->writer->bytes));
	if (err)
		return err;
	profil_stack_encoded(&s->stream, thread->last, &record);
	if (record.nframes > 1)
		told_stack(s, thread, &look->walked);
	if (e->wait)
		profil_stat_add(&p->status->waits, e->count);
	else
		s->recorded += e->count;
	end_entry(p, e);
	return 0;
}

/* 0: the ticks are in a record, or stackless; -EFAULT: the page is absent. */
static __always_inline int try_write(struct profil *p, struct profil_stacks_entry *e,
				     struct profil_stack_look *look)
{
	int err = -ENOSPC;

	lockdep_assert_held(&p->lock);
	if (unlikely(!p->stacks->stream.begun))
		p->stacks->clock_offset = clock_offset();
	while (is_ours(p, e)) {
		if ((p->stage == PROFIL_LIVE || p->stage == PROFIL_STOPPING) &&
		    !p->stacks->ended && p->stacks->writer)
			err = write_record(p, e, look);
		if (err == -ENOSPC)
			end_stream(p, e);
		else if (err)
			return err;
		/* Waits may have samples of two kinds, with the same stack. */
		if (likely(!e->more))
			break;
		err = -ENOSPC;
	}
	return 0;
}

/* Run, address and longest size of the next record. */
struct place {
	u32		run;
	u64		at;
	unsigned int	bytes;
};

static struct place next_place(const struct profil *p)
{
	const struct profil_stacks *s = p->stacks;

	lockdep_assert_held(&p->lock);
	return (struct place) {
		.run	= s->run,
		.at	= p->run->stacks + s->position,
		.bytes	= min_t(u64, RECORD_MOST,
				p->run->stacks_size - s->position),
	};
}

/* Is this still the place of the next record? There is a run while there are ticks. */
static bool is_at(const struct profil *p, const struct place *place)
{
	struct place now = next_place(p);

	return now.run == place->run && now.at == place->at;
}

/*
 * The page of @place cannot be brought in. If the next record has moved to another place
 * meanwhile, try again there. -EACCES: this thread may not write there, others may.
 */
static noinline int write_failed(struct profil *p, struct profil_stacks_entry *e,
				 const struct place *place, int err)
{
	bool moved = false;

	if (err == -EINTR || fatal_signal_pending(current))
		return -EINTR;
	if (err != -EFAULT && err != -EACCES)
		return -EAGAIN;
	raw_spin_lock_irq(&p->lock);
	if (is_ours(p, e)) {
		moved = !is_at(p, place);
		if (!moved && err == -EFAULT)
			end_stream(p, e);
		else if (!moved)
			profil_stream_drop_entry(p, e);
	}
	raw_spin_unlock_irq(&p->lock);
	return moved ? -EAGAIN : 0;
}

/* Not inline: it is rare. */
static noinline int bring_in_place(struct profil *p, const struct place *place,
				   enum profil_patience patience)
{
	int err;

	profil_test_delay();
	err = profil_page_in(p->mm, place->at, place->bytes, true, patience);
	profil_test_delay();
	return err;
}

/**
 * profil_stream_write() - write a record of the ticks of an entry, if there are any.
 * @p:        the profile of the caller's address space
 * @e:        an entry of the profile: the caller's own; or any, once ticks are drained
 * @look:     the walk of its thread; NULL: there was none
 * @patience: PROFIL_TRY: do not wait for the mmap lock
 *
 * It may fault and sleep. Return: 0: the entry has no more ticks that the caller may
 * write; -EAGAIN: not now; -EINTR: a fatal signal.
 */
int profil_stream_write(struct profil *p, struct profil_stacks_entry *e,
			struct profil_stack_look *look, enum profil_patience patience)
{
	struct place place __uninitialized;
	unsigned int tries;
	int err;

	for (tries = 0; tries <= STREAM_TRIES; tries++) {
		raw_spin_lock_irq(&p->lock);
		err = try_write(p, e, look);
		if (unlikely(err))
			place = next_place(p);
		raw_spin_unlock_irq(&p->lock);
		if (likely(!err))
			return 0;
		err = bring_in_place(p, &place, patience);
		if (err)
			return write_failed(p, e, &place, err);
	}
	return -EAGAIN;
}

/**
 * profil_stream_settle() - write the ticks of an entry for a stop. If all tries fail, the
 * stream ends.
 * @p:    the profile of the caller's address space; ticks have been drained
 * @e:    an entry of the profile
 * @look: the walk of its thread; NULL: there was none
 *
 * Return: 0; -EINTR: a fatal signal.
 */
int profil_stream_settle(struct profil *p, struct profil_stacks_entry *e,
			 struct profil_stack_look *look)
{
	unsigned int tries;

	for (tries = 0; tries < STREAM_TRIES; tries++) {
		if (!profil_stream_write(p, e, look, PROFIL_WAIT))
			return 0;
		if (fatal_signal_pending(current))
			return -EINTR;
		schedule_timeout_killable(1);
	}
	raw_spin_lock_irq(&p->lock);
	if (is_ours(p, e))
		end_stream(p, e);
	raw_spin_unlock_irq(&p->lock);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of waits (PROFIL_WAITS): of time in which a thread does not run.
 *
 * A thread's waiting time is local_clock() minus its CPU time. It consists of blocks of one
 * period, each with one sample at a place that a keyed hash chooses, as for CPU time
 * (tick/timer.c). It stands still while the thread runs, so the place of the next sample
 * is all that is kept: on the thread's CPU while it runs (struct cpu_state), else in its
 * struct profil_wait. States of a thread and of its struct profil_wait w, in the order of
 * the clock:
 *
 *	runs		no w; the place is with the CPU. Or, at the start of a run, for a
 *			thread that no switch and no tick has seen yet: w->running, w->next
 *	waits		w->next is the place. profil_waits_out() took w at the switch
 *	waits no more	profil_waits_in() gives the place to the CPU. If it has been reached,
 *			w->of[] counts the samples, w->held, and the callback is queued,
 *			w->queued; else w is free again
 *	records		the callback walks the stack, w->walking, and frees w. If the thread
 *			waits meanwhile, samples are added, and nothing is queued
 *
 * Who changes w, when it is not free:
 *
 * - the two functions above, with the run queue locked, between profil_enter() and
 *   profil_leave(), if the run is live. They take no lock.
 * - the thread itself, in its callback, under the profile's lock, so with interrupts off:
 *   it is not switched meanwhile.
 * - the call that stops the profile, under the lock, once the run is not live and drained.
 *   It ends all waits at that moment, writes all samples, and frees each w that is not
 *   queued. If it is killed, the next call goes on. The callback frees the others.
 * - a start, before its run is live: it takes a w for each thread, or uses the one that
 *   is still queued, whose callback then leaves w->next alone and does not free w.
 *
 * When a thread exits or executes another program, the mm is no longer the profile's, and
 * its callback only counts the samples as lost. A thread that has begun to exit gets no
 * callback. While a thread walks its stack for ticks, it gets none either, as these two
 * could follow each other for ever: that walk writes the samples at its end. The other way
 * round, and after the callback that applies updates (update/callback.c), there is one:
 * ticks in wait_callback() do not lead to the latter. After munmap() of the page, w remains
 * until the profile is freed.
 *
 * w holds no reference on its thread. If it is queued, the thread has not exited. A stop asks
 * for the thread with the same id. If that is gone, or executes another program, by which its
 * id may change, the samples are lost.
 */
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>

#include "compat.h"
#include "profile.h"
#include "run.h"
#include "stack/waits.h"

/* --- in a thread's callback --------------------------------------------------------- */

/* False: it has samples again, and should try again. */
static __always_inline bool end_callback(struct profil *p, struct profil_wait *w, bool again)
{
	bool more, keep;

	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(READ_ONCE(w->task) != current || !w->held || !w->queued);
	more = w->of[0].count || w->of[1].count;
	again = again && more;
	/* A start has noted this thread. */
	keep = again || w->next;
	if (!again) {
		if (unlikely(more))
			profil_wait_drop(p, w);
		w->held = false;
		w->queued = false;
		w->walking = false;
	}
	if (!keep)
		profil_wait_free(w);
	raw_spin_unlock_irq(&p->lock);
	return !again;
}

/* Most walks of a callback: each but the first is for waits meanwhile. */
#define WALKS	4

/* Write the samples of the current thread, and free @w. */
static __always_inline void write_samples(struct profil *p, struct profil_wait *w)
{
	bool ours = current->mm == p->mm;
	unsigned int walks = 0;

	WRITE_ONCE(w->walking, true);
	do {
		if (ours)
			profil_capture_write(p, w);
	} while (!end_callback(p, w, ours && ++walks < WALKS));
}

/* User registers are valid wherever task work runs. */
static void wait_callback(struct callback_head *work)
{
	struct profil_wait *w = container_of(work, struct profil_wait, work);
	struct profil *p = w->profil;

	profil_may_sleep();
	if (unlikely(READ_ONCE(p->stacks->crowded) || READ_ONCE(p->stacks->collided)) &&
	    current->mm == p->mm)
		profil_wait_grow(p);
	write_samples(p, w);
	/* Last: this reference may keep the module loaded. */
	profil_put(p);
}

/* The current thread's, if its samples have no callback. */
static struct profil_wait *without_callback(struct profil *p)
{
	struct profil_wait *w = profil_wait_find(p->stacks, current);

	lockdep_assert_held(&p->lock);
	return w && w->held && !w->queued ? w : NULL;
}

/* The current thread writes the samples of its waits in its walk for ticks, which ends. */
void profil_waits_write(struct profil *p)
{
	struct profil_wait *w;

	might_sleep();
	raw_spin_lock_irq(&p->lock);
	w = without_callback(p);
	/* As if its callback ran. */
	if (w)
		WRITE_ONCE(w->queued, true);
	raw_spin_unlock_irq(&p->lock);
	if (w)
		write_samples(p, w);
}

/* It has waited again since. */
void profil_waits_drop(struct profil *p)
{
	struct profil_wait *w = without_callback(p);

	if (!w)
		return;
	profil_wait_drop(p, w);
	w->held = false;
	if (!w->next)
		profil_wait_free(w);
}

/* Is the current thread in wait_callback()? */
bool profil_waits_is_walking(struct profil *p)
{
	struct profil_stacks *s = READ_ONCE(p->stacks);
	struct profil_wait *w = s ? profil_wait_find(s, current) : NULL;

	return w && READ_ONCE(w->walking);
}

/* --- at a switch ------------------------------------------------------------------ */

/* Queue the callback of @t, unless it is in one that will write the samples. */
static __always_inline void
push(struct profil *p, struct profil_wait *w, struct task_struct *t)
{
	if (unlikely(atomic_read(&p->stacks->walkers)) && profil_capture_takes_waits(p, t))
		return;
	w->profil = p;
	w->queued = true;
	init_task_work(&w->work, wait_callback);
	profil_task_work_add(t, &w->work);
	/* The mapping still has its reference: it drops that after switches are drained. */
	kref_get(&p->ref);
}

/* The samples of @t, if there are any, are for its callback, or lost. */
static __always_inline void
end_wait(struct profil *p, struct profil_wait *w, struct task_struct *t,
	 const struct profil_wait_reached *r)
{
	if (!w->held && (profil_wait_flags(t) & PF_EXITING || READ_ONCE(p->stacks->ended))) {
		profil_stat_add(&p->status->waits_lost, r->n);
		profil_wait_free(w);
		return;
	}
	if (r->n)
		profil_wait_add_samples(p, w, r);
	if (w->held)
		return;
	profil_wait_note_place(w, task_pt_regs(t));
	w->held = true;
	push(p, w, t);
}

static __always_inline struct profil_waiter waiter_of(u64 next, struct profil_wait *w)
{
	return (struct profil_waiter) { .next = next, .w = w };
}

/* Like all that few switches need, not inline, so that profil_waits_in() saves few registers. */
static noinline struct profil_waiter
end_noted_wait(struct profil *p, const struct profil_run *run, struct task_struct *t, u64 now,
	       struct profil_wait *w)
{
	u64 waited = profil_wait_waited(now, profil_wait_ran(t)), next = w->next;
	struct profil_wait_reached r;

	w->next = 0;
	if (w->running)
		profil_wait_begun(w, t);
	if (waited < next) {
		if (!w->held)
			profil_wait_free(w);
		return waiter_of(next, w);
	}
	r = profil_wait_reach(p, run, profil_wait_id(t), next, waited, ktime_get_ns());
	end_wait(p, w, t, &r);
	return waiter_of(r.next, w);
}

/* A new thread has waited for its CPU until now. It makes room for itself, too. */
static noinline struct profil_waiter
first_time(struct profil *p, const struct profil_run *run, struct task_struct *t, u64 now)
{
	struct profil_stacks *s = p->stacks;
	bool roomy = profil_wait_is_roomy(s, get_nr_threads(t), PROFIL_WAITS_PER_THREAD);
	u64 now_ns = ktime_get_ns();
	u64 age = min_t(u64, now_ns - t->start_time, now - s->started);
	u64 next = profil_wait_place_after(p, run, t, now - age);
	struct profil_wait_reached r = { .next = next };
	struct profil_wait *w;

	if (now >= next)
		r = profil_wait_reach(p, run, profil_wait_id(t), next, now, now_ns);
	if (!r.n && roomy)
		return waiter_of(next, NULL);
	w = profil_wait_claim(s, t);
	if (!w) {
		profil_stat_add(&p->status->waits_lost, r.n);
		return waiter_of(r.next, NULL);
	}
	if (!roomy)
		WRITE_ONCE(s->crowded, true);
	w->runnable = true;
	end_wait(p, w, t, &r);
	return waiter_of(r.next, w);
}

static noinline struct profil_waiter
begin_running(struct profil *p, const struct profil_run *run, struct task_struct *t, u64 now)
{
	/* Pairs with profil_stack_prepare(). */
	struct profil_stacks *s = READ_ONCE(p->stacks);
	u64 ran = profil_wait_ran(t);
	struct profil_wait *w;

	if (unlikely(!s || profil_wait_flags(t) & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)))
		return waiter_of(0, NULL);
	w = profil_wait_find(s, t);
	if (w && w->next)
		return end_noted_wait(p, run, t, now, w);
	if (!w && !ran)
		return first_time(p, run, t, now);
	return waiter_of(profil_wait_place_after(p, run, t, profil_wait_waited(now, ran)), w);
}

/**
 * profil_waits_in() - a thread is about to run.
 * @p:   the profile, entered by the switch
 * @run: its run, with PROFIL_WAITS
 * @t:   the thread
 * @now: local_clock()
 *
 * Return: what profil_waits_out() needs.
 */
struct profil_waiter profil_waits_in(struct profil *p, const struct profil_run *run,
				     struct task_struct *t, u64 now)
{
	struct profil_stacks *s = READ_ONCE(p->stacks);
	struct profil_wait *w = s ? profil_wait_top(s, t) : NULL;
	u64 next;

	/* The most common case: in the highest level, and no sample. */
	lockdep_assert_irqs_disabled();
	if (likely(w) && unlikely(!profil_wait_is_of(w, t)))
		w = profil_wait_behind(w, t);
	if (unlikely(!w || w->held))
		return begin_running(p, run, t, now);
	next = w->next;
	if (unlikely(now - t->se.sum_exec_runtime >= next))
		return next ? end_noted_wait(p, run, t, now, w) : begin_running(p, run, t, now);
	w->next = 0;
	profil_wait_free(w);
	return waiter_of(next, NULL);
}

static __always_inline void note_wait(struct profil_wait *w, const struct task_struct *t,
				      u64 next, bool runnable)
{
	w->next = next;
	w->ran = profil_wait_ran(t);
	w->runnable = runnable;
	w->running = false;
}

/* It has one already, or its set is full, or another CPU was faster. */
static noinline void wait_elsewhere(struct profil *p, struct profil_waiter waiter, bool runnable)
{
	struct profil_wait *w = waiter.w;

	if (!w || !profil_wait_is_of(w, current))
		w = profil_wait_claim(p->stacks, current);
	if (w)
		note_wait(w, current, waiter.next, runnable);
	else
		profil_stat_add(&p->status->waits_lost, 1);
}

/**
 * profil_waits_out() - the current thread begins to wait.
 * @p:        the profile, entered by the switch, with a run with PROFIL_WAITS
 * @waiter:   as profil_waits_in() has returned it for the same run
 * @runnable: it waits for a CPU
 */
void profil_waits_out(struct profil *p, struct profil_waiter waiter, bool runnable)
{
	struct task_struct *t = current;
	struct profil_wait *w = waiter.w ? NULL : profil_wait_top(p->stacks, t);

	lockdep_assert_irqs_disabled();
	if (likely(w) && unlikely(READ_ONCE(w->task)))
		w = profil_wait_behind(w, NULL);
	if (unlikely(!w || cmpxchg(&w->task, NULL, t))) {
		wait_elsewhere(p, waiter, runnable);
		return;
	}
	WRITE_ONCE(w->id, profil_wait_id(t));
	note_wait(w, t, waiter.next, runnable);
}

/*
 * The current thread, which runs already, has waited for @waited so far. Called in a tick or
 * by a start.
 */
struct profil_waiter profil_waits_here(struct profil *p, const struct profil_run *run,
				       u64 waited)
{
	struct profil_stacks *s = READ_ONCE(p->stacks);
	struct profil_wait *w;

	lockdep_assert_irqs_disabled();
	if (!s || profil_task_flags() & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return waiter_of(0, NULL);
	w = profil_wait_find(s, current);
	if (w) {
		w->next = 0;
		if (!w->held)
			profil_wait_free(w);
	}
	return waiter_of(profil_wait_place_after(p, run, current, waited), w);
}

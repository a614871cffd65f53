// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits at the start and at the end of a run: a start notes all threads of the process, and
 * a stop ends all waits and writes their samples.
 */
#include <linux/build_bug.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "profile.h"
#include "run.h"
#include "stack/waits.h"

/* Does @p have the samples of @t? Threads may exit, and have profiles of their own. */
static bool is_charged(const struct profil *p, const struct task_struct *t)
{
	return READ_ONCE(t->mm) == p->mm && profil_find_of(p->mm, t) == p;
}

/* Note thread @t, which waits, or runs. */
static void note_thread(struct profil *p, const struct profil_run *run,
			struct task_struct *t, u64 now)
{
	struct profil_stacks *s = p->stacks;
	struct profil_wait *w;
	u64 ran, sleeps;

	/* Its callback may end now. */
	raw_spin_lock_irq(&p->lock);
	w = profil_wait_find(s, t) ?: profil_wait_claim(s, t);
	if (w) {
		sleeps = profil_wait_sleeps(t);
		/* Before the state: a sleep that is counted here is in the state. */
		smp_rmb();
		ran = profil_wait_ran(t);
		w->runnable = !profil_task_state(t);
		w->running = profil_task_on_cpu(t);
		w->ran = w->running ? sleeps : ran;
		w->next = profil_wait_place_after(p, run, t, profil_wait_waited(now, ran));
	} else {
		s->unnoted++;
	}
	raw_spin_unlock_irq(&p->lock);
}

/* Let others run, in a loop over threads that has come to @t. False: begin again. */
static bool pause_at(struct task_struct *t)
{
	bool listed;

	get_task_struct(t);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	listed = pid_alive(t);
	put_task_struct(t);
	return listed;
}

/* A process whose threads exit all the time must not hold up its start. */
#define NOTE_TRIES	8

static void note_threads(struct profil *p, const struct profil_run *run, u64 now)
{
	unsigned int tries = NOTE_TRIES;
	struct task_struct *t;

	rcu_read_lock();
again:
	p->stacks->unnoted = 0;
	for_each_thread(current, t) {
		if (!(profil_wait_flags(t) & (PF_EXITING | PF_IO_WORKER | PF_USER_WORKER)) &&
		    is_charged(p, t))
			note_thread(p, run, t, now);
		if (unlikely(need_resched()) && tries && !pause_at(t)) {
			tries--;
			goto again;
		}
	}
	rcu_read_unlock();
}

/*
 * Note the threads of the process before @run goes live: until it has been switched, nobody
 * knows whether a thread waits.
 */
void profil_waits_begin(struct profil *p, const struct profil_run *run)
{
	u64 now = local_clock();

	lockdep_assert_held(&p->control);
	WARN_ON_ONCE(READ_ONCE(p->live));
	note_threads(p, run, now);
	/* Too many share a set. Without more room, they count as lost. */
	if (p->stacks->unnoted && !profil_wait_grow(p))
		note_threads(p, run, now);
}

/* The run of @p has been taken away, by the caller. */
void profil_waits_end(struct profil *p)
{
	/* A fork child may have had no memory for it. */
	if (p->stacks)
		WRITE_ONCE(p->stacks->until, local_clock());
}

/* Within this time, a thread that runs when a run begins is seen by a tick, or interrupted. */
#define UNSEEN_NS	(100 * NSEC_PER_MSEC)

/*
 * The start has found @t running. Was the run, or the thread, over before anything else saw
 * it? If it runs now, it may also have slept, and have come back after the end of the run.
 */
static bool has_run_unseen(const struct profil *p, const struct task_struct *t)
{
	const struct profil_stacks *s = p->stacks;

	return !is_charged(p, t) ||
	       (s->until - s->started < UNSEEN_NS && profil_task_on_cpu(t));
}

/*
 * Copy the user registers of @t, which perhaps runs. False: it is gone with its stack, or
 * executes another program. They are right if profil_wait_is_on() says so afterwards.
 */
bool profil_wait_registers(const struct profil *p, struct task_struct *t, struct pt_regs *regs)
{
	/* t->stack may become NULL now: then this is no address of the kernel. */
	const u64 *from = data_race((const u64 *)task_pt_regs(t));
	u64 *to = (u64 *)regs;
	unsigned int i;

	OPTIMIZER_HIDE_VAR(from);
	if ((long)from >= 0)
		return false;
	BUILD_BUG_ON(sizeof(*regs) % sizeof(*to));
	profil_faults_off();
	for (i = 0; i < sizeof(*regs) / sizeof(*to); i++)
		__get_kernel_nofault(&to[i], &from[i], u64, fault);
	profil_faults_on();
	/*
	 * Pairs with its last switch: until then, the stack is not freed, or another's. And
	 * with exec, which changes the mm before the registers.
	 */
	smp_rmb();
	return !(profil_task_state(t) & TASK_DEAD) && READ_ONCE(t->mm) == p->mm;
fault:
	profil_faults_on();
	return false;
}

/*
 * Does the thread still wait as it did when it was noted? If it is queued, it stays where it
 * is. The caller has a reference on it.
 */
bool profil_wait_is_on(const struct profil_stacks_entry *e)
{
	/* What the thread has changed, it has changed on a CPU. */
	return READ_ONCE(e->wait->queued) ||
	       (!profil_task_on_cpu(e->task) && profil_wait_ran(e->task) == e->wait->ran);
}

/*
 * The thread of @w; NULL: it is gone, or executes another program, and another thread may have
 * its id. The caller is in an RCU read section.
 */
static struct task_struct *find_thread(const struct profil *p, const struct profil_wait *w)
{
	struct task_struct *t = pid_task(find_pid_ns(w->id, &init_pid_ns), PIDTYPE_PID);

	lockdep_assert_held(&p->lock);
	return t && t == w->task && READ_ONCE(t->mm) == p->mm ? t : NULL;
}

/* The thread still waits: this is the end of its samples. */
static void cut_wait(struct profil *p, struct profil_wait *w, u64 until, u64 until_ns)
{
	struct task_struct *t = find_thread(p, w);
	u64 waited, next = w->next;
	struct pt_regs regs;
	struct profil_wait_reached r;

	lockdep_assert_held(&p->lock);
	w->next = 0;
	if (w->running) {
		if (!t || has_run_unseen(p, t))
			return;
		profil_wait_begun(w, t);
		w->ran = profil_wait_ran(t);
	}
	/* Not profil_wait_ran(t): it may have run since the end of the run. */
	waited = profil_wait_waited(until, w->ran);
	if (waited < next)
		return;
	r = profil_wait_reach(p, p->run, w->id, next, waited, until_ns);
	if (w->held) {
		profil_wait_add_samples(p, w, &r);
	} else if (t && profil_wait_registers(p, t, &regs)) {
		profil_wait_add_samples(p, w, &r);
		profil_wait_note_place(w, &regs);
		w->held = true;
	} else {
		/* It is gone. */
		profil_stat_add(&p->status->waits_lost, r.n);
	}
}

/* All waits end now, at the end of the run. */
static void cut_waits(struct profil *p, struct profil_wait *w, unsigned int n)
{
	u64 until = p->stacks->until, until_ns = ktime_get_ns() - (local_clock() - until);

	for (; n; n--, w++) {
		cond_resched();
		/* It stays free: the switches of the run are over, and the next start waits. */
		if (!READ_ONCE(w->task))
			continue;
		rcu_read_lock();
		raw_spin_lock_irq(&p->lock);
		if (p->stage == PROFIL_STOPPING && w->task && w->next)
			cut_wait(p, w, until, until_ns);
		raw_spin_unlock_irq(&p->lock);
		rcu_read_unlock();
	}
}

/* What has not been written is lost. Free @w, unless a callback will do so. */
static void settle_end(struct profil *p, struct profil_wait *w)
{
	raw_spin_lock_irq(&p->lock);
	if (p->stage == PROFIL_STOPPING && w->task) {
		profil_wait_drop(p, w);
		if (!w->queued) {
			w->held = false;
			profil_wait_free(w);
		}
	}
	raw_spin_unlock_irq(&p->lock);
}

/* Write the samples of @w. 0 or -EINTR. */
static int settle_wait(struct profil *p, struct profil_wait *w)
{
	struct profil_stacks_entry e;
	struct task_struct *t;
	int err = 0;

	rcu_read_lock();
	raw_spin_lock_irq(&p->lock);
	t = w->task ? find_thread(p, w) : NULL;
	if (t) {
		get_task_struct(t);
		e = profil_wait_entry(w, task_cpu(t));
		/* Now: a thread that is gone has no id. */
		e.thread = profil_stream_thread_id(&e);
	}
	raw_spin_unlock_irq(&p->lock);
	rcu_read_unlock();
	if (t) {
		e.walking = true;
		if (e.thread)
			err = profil_capture_settle_entry(p, &e);
		put_task_struct(t);
	}
	if (!err)
		settle_end(p, w);
	return err;
}

static int settle_waits(struct profil *p, struct profil_wait *w, unsigned int n)
{
	int err = 0;

	for (; n && !err; n--, w++) {
		cond_resched();
		if (!READ_ONCE(w->task))
			continue;
		err = fatal_signal_pending(current) ? -EINTR : settle_wait(p, w);
	}
	return err;
}

/**
 * profil_waits_settle() - end all waits, and write their samples.
 * @p: the profile of the caller's address space, with a run; switches have been drained
 *
 * Return: 0; -EINTR: a fatal signal; the rest is left to the next call.
 */
int profil_waits_settle(struct profil *p)
{
	struct profil_stacks *s = p->stacks;
	unsigned int level;
	int err = 0;

	might_sleep();
	lockdep_assert_held(&p->control);
	WARN_ON_ONCE(READ_ONCE(p->live));
	if (!s || !(p->run->flags & PROFIL_WAITS))
		return 0;
	for (level = 0; level < s->nwaits; level++)
		cut_waits(p, s->waits[level], PROFIL_WAITS_ENTRIES(level));
	for (level = 0; level < s->nwaits && !err; level++)
		err = settle_waits(p, s->waits[level], PROFIL_WAITS_ENTRIES(level));
	return err;
}

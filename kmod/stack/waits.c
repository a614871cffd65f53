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
 *   profil_leave(), if the run is live. So they take no lock, and never the profile's:
 *   its holders queue work, which locks run queues.
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
 * until the profile is freed: it holds the thread's task_struct.
 */
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include <asm/syscall.h>

#include "compat.h"
#include "profile.h"
#include "run.h"
#include "stack/stack.h"
#include "stack/state.h"

static __always_inline unsigned int flags_of(const struct task_struct *t)
{
	/* Only the thread itself changes those that callers test. */
	return data_race(t->flags);
}

/* --- the table ------------------------------------------------------------------ */

/* The thread's id is no secret; a set by its address would tell others about that. */
static __always_inline struct profil_wait *
own_set(const struct profil_stacks *s, unsigned int level, const struct task_struct *t)
{
	u32 set = hash_32(READ_ONCE(t->pid), PROFIL_WAITS_SETS_BITS + level);

	return &s->waits[level][PROFIL_WAITS_WAYS * set];
}

/* The first of the set of @t in the highest level, which most threads have; or NULL. */
static __always_inline struct profil_wait *top_of(const struct profil_stacks *s,
						  const struct task_struct *t)
{
	/* Pairs with add_level(). */
	unsigned int levels = smp_load_acquire(&s->nwaits);

	return likely(levels) ? own_set(s, levels - 1, t) : NULL;
}

/* The one of @t, or NULL. Most are in the highest level. */
static struct profil_wait *find(const struct profil_stacks *s, const struct task_struct *t)
{
	/* Pairs with add_level(). */
	unsigned int level = smp_load_acquire(&s->nwaits), i;
	struct profil_wait *set;

	while (level--) {
		set = own_set(s, level, t);
		for (i = 0; i < PROFIL_WAITS_WAYS; i++)
			if (READ_ONCE(set[i].task) == t)
				return &set[i];
	}
	return NULL;
}

static __always_inline bool try_claim(struct profil_wait *w, struct task_struct *t)
{
	if (READ_ONCE(w->task) || cmpxchg(&w->task, NULL, t))
		return false;
	get_task_struct(t);
	return true;
}

/* Take a free one for @t. NULL: there is none; the caller counts the wait as lost. */
static noinline struct profil_wait *claim(struct profil_stacks *s, struct task_struct *t)
{
	/* As above. */
	unsigned int level = smp_load_acquire(&s->nwaits), i;
	struct profil_wait *set;

	while (level--) {
		set = own_set(s, level, t);
		for (i = 0; i < PROFIL_WAITS_WAYS; i++)
			if (try_claim(&set[i], t))
				return &set[i];
	}
	WRITE_ONCE(s->collided, true);
	return NULL;
}

/* The caller drops the reference on the thread. */
static __always_inline void free_wait(struct profil_wait *w)
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) &&
		     (w->next || w->held || w->queued || w->walking || w->of[0].count ||
		      w->of[1].count));
	/* Pairs with claim(). */
	smp_store_release(&w->task, NULL);
}

/* Free that of a thread which runs here, or is about to: this is not its last reference. */
static __always_inline void release(struct profil_wait *w, struct task_struct *t)
{
	free_wait(w);
	put_task_struct(t);
}

/* Are there @each places for each of @threads threads? */
static bool is_roomy(const struct profil_stacks *s, unsigned int threads, unsigned int each)
{
	unsigned int levels = READ_ONCE(s->nwaits);

	return levels && (levels == PROFIL_WAITS_LEVELS ||
			  PROFIL_WAITS_BELOW(levels) >= each * threads);
}

/* 0 or -ENOMEM. */
static int add_level(struct profil *p, unsigned int level)
{
	struct profil_stacks *s = p->stacks;
	struct profil_wait *new;

	/* docs/security.md states the memory of waits. */
	BUILD_BUG_ON(sizeof(*new) > 128);
	BUILD_BUG_ON(PROFIL_WAITS_ENTRIES(0) != 32 || PROFIL_WAITS_PER_THREAD != 4);
	new = kvcalloc(PROFIL_WAITS_ENTRIES(level), sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	raw_spin_lock_irq(&p->lock);
	if (s->nwaits == level) {
		s->waits[level] = new;
		/* Pairs with find(). */
		smp_store_release(&s->nwaits, level + 1);
		new = NULL;
	}
	raw_spin_unlock_irq(&p->lock);
	kvfree(new);
	return 0;
}

/* Make room for the threads of the caller. 0 or -ENOMEM: there is less room, or none. */
static int grow(struct profil *p)
{
	struct profil_stacks *s = p->stacks;
	unsigned int threads = get_nr_threads(current);
	bool collided = READ_ONCE(s->collided);
	int err = 0;

	WRITE_ONCE(s->crowded, false);
	WRITE_ONCE(s->collided, false);
	while (!err && !is_roomy(s, threads, PROFIL_WAITS_PER_THREAD))
		err = add_level(p, READ_ONCE(s->nwaits));
	if (!err && collided && !is_roomy(s, threads, 2 * PROFIL_WAITS_PER_THREAD))
		err = add_level(p, READ_ONCE(s->nwaits));
	return err;
}

/* For a start or a fork. 0 or -ENOMEM. */
int profil_waits_prepare(struct profil *p, const struct profil_run *run)
{
	might_sleep();
	if (!(run->flags & PROFIL_WAITS))
		return 0;
	/* A fork child has one thread. */
	if (p->mm != current->mm)
		return p->stacks->nwaits ? 0 : add_level(p, 0);
	return grow(p);
}

/* Nothing is queued, as that would hold the profile. */
void profil_waits_free(struct profil_stacks *s)
{
	struct profil_wait *w;
	unsigned int level, i;

	for (level = 0; level < s->nwaits; level++) {
		for (i = 0; i < PROFIL_WAITS_ENTRIES(level); i++) {
			w = &s->waits[level][i];
			WARN_ON_ONCE(w->queued);
			if (w->task)
				put_task_struct(w->task);
		}
		kvfree(s->waits[level]);
	}
}

/* --- places of samples ------------------------------------------------------------ */

/* A number for the waiting time of @t; that for its CPU time is another one. */
static u64 key_of(const struct profil *p, const struct task_struct *t)
{
	return ~p->choice.key + t->start_time;
}

/* The block of the first sample after @waited. */
static u64 block_after(const struct profil *p, const struct profil_run *run,
		       const struct task_struct *t, u64 waited)
{
	u64 period = profil_clock_period(run->rate);
	u64 block = div64_u64(waited, period);

	return block + (profil_clock_place(key_of(p, t), block, period) <= waited);
}

static u64 place_of(const struct profil *p, const struct profil_run *run,
		    const struct task_struct *t, u64 block)
{
	return profil_clock_place(key_of(p, t), block, profil_clock_period(run->rate));
}

/* The first sample after @waited, never 0. */
static u64 place_after(const struct profil *p, const struct profil_run *run,
		       const struct task_struct *t, u64 waited)
{
	return place_of(p, run, t, block_after(p, run, t, waited));
}

/* Exact, unless it runs. */
static __always_inline u64 ran(const struct task_struct *t)
{
	return READ_ONCE(t->se.sum_exec_runtime);
}

/* The waiting time at @clock of a thread that has run for @ran then. */
static __always_inline u64 waited_at(u64 clock, u64 ran)
{
	return clock > ran ? clock - ran : 0;
}

/**
 * struct reached - the samples of a wait.
 * @n:        their number.
 * @first_ns: time of the first one.
 * @last_ns:  time of the last one.
 * @next:     place of the next one.
 */
struct reached {
	u64	n;
	u64	first_ns;
	u64	last_ns;
	u64	next;
};

/* Samples from the one at @next on, until the thread has waited for @waited, at @now_ns. */
static struct reached reach(const struct profil *p, const struct profil_run *run,
			    const struct task_struct *t, u64 next, u64 waited, u64 now_ns)
{
	u64 after = block_after(p, run, t, waited);

	return (struct reached) {
		.n		= after - div64_u64(next, profil_clock_period(run->rate)),
		.first_ns	= now_ns - (waited - next),
		.last_ns	= now_ns - (waited - place_of(p, run, t, after - 1)),
		.next		= place_of(p, run, t, after),
	};
}

/* Where the thread will go on in user mode. */
static void note_place(struct profil_wait *w, struct pt_regs *regs)
{
	w->ip = instruction_pointer(regs);
	w->sp = user_stack_pointer(regs);
	w->syscall = syscall_get_nr(w->task, regs);
}

static void add_samples(struct profil *p, struct profil_wait *w, const struct reached *r)
{
	struct profil_wait_samples *of = &w->of[w->runnable];
	u32 n = min_t(u64, r->n, U32_MAX - of->count);

	if (!of->count)
		of->first_ns = r->first_ns;
	of->last_ns = r->last_ns;
	of->count += n;
	profil_stat_add(&p->status->waits_lost, r->n - n);
}

/* --- in a thread's callback --------------------------------------------------------- */

/*
 * Fill in @e with samples of one kind that it is for. False: there are none. The caller
 * may take them: see is_ours() in stream.c.
 */
bool profil_wait_load(struct profil_stacks_entry *e)
{
	const struct profil_wait *w = e->wait;

	if (READ_ONCE(w->task) != e->task)
		return false;
	e->runnable = !w->of[0].count;
	e->count = w->of[e->runnable].count;
	e->time_ns = w->of[e->runnable].first_ns;
	e->last_ns = w->of[e->runnable].last_ns;
	return e->count;
}

/* What the stream writes for @w. */
static struct profil_stacks_entry entry_of(struct profil_wait *w, u32 cpu)
{
	return (struct profil_stacks_entry) {
		.task		= w->task,
		.kernel		= true,
		.ip		= w->ip,
		.sp		= w->sp,
		.cpu		= cpu,
		.syscall	= w->syscall,
		.wait		= w,
	};
}

static void drop_samples(struct profil *p, struct profil_wait *w)
{
	lockdep_assert_held(&p->lock);
	profil_stat_add(&p->status->waits_lost, (u64)w->of[0].count + w->of[1].count);
	w->of[0].count = 0;
	w->of[1].count = 0;
}

/* False: it has samples again, and should try again. */
static bool end_callback(struct profil *p, struct profil_wait *w, bool again)
{
	bool keep;

	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(READ_ONCE(w->task) != current || !w->held || !w->queued);
	again = again && (w->of[0].count || w->of[1].count);
	/* A start has noted this thread. */
	keep = again || w->next;
	if (!again) {
		drop_samples(p, w);
		w->held = false;
		w->queued = false;
		w->walking = false;
	}
	if (!keep)
		free_wait(w);
	raw_spin_unlock_irq(&p->lock);
	if (!keep)
		put_task_struct(current);
	return !again;
}

/* Most walks of a callback: each but the first is for waits meanwhile. */
#define WALKS	4

/* Write the samples of the current thread, and free @w. */
static void write_samples(struct profil *p, struct profil_wait *w)
{
	bool ours = current->mm == p->mm;
	struct profil_stacks_entry e;
	unsigned int walks = 0;

	WRITE_ONCE(w->walking, true);
	do {
		e = entry_of(w, raw_smp_processor_id());
		if (ours)
			profil_capture_write(p, &e);
	} while (!end_callback(p, w, ours && ++walks < WALKS));
}

/* User registers are valid wherever task work runs. */
static void wait_callback(struct callback_head *work)
{
	struct profil_wait *w = container_of(work, struct profil_wait, work);
	struct profil *p = w->profil;

	might_sleep();
	if (unlikely(READ_ONCE(p->stacks->crowded) || READ_ONCE(p->stacks->collided)) &&
	    current->mm == p->mm)
		grow(p);
	write_samples(p, w);
	/* Last: this reference may keep the module loaded. */
	profil_put(p);
}

/* The current thread's, if its samples have no callback. */
static struct profil_wait *without_callback(struct profil *p)
{
	struct profil_wait *w = find(p->stacks, current);

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
	drop_samples(p, w);
	w->held = false;
	if (!w->next)
		release(w, current);
}

/* Is the current thread in wait_callback()? */
bool profil_waits_is_walking(struct profil *p)
{
	struct profil_stacks *s = READ_ONCE(p->stacks);
	struct profil_wait *w = s ? find(s, current) : NULL;

	return w && READ_ONCE(w->walking);
}

/* --- at a switch ------------------------------------------------------------------ */

/* Queue the callback of @t, unless it is in one that will write the samples. */
static void push(struct profil *p, struct profil_wait *w, struct task_struct *t)
{
	if (profil_capture_takes_waits(p, t))
		return;
	w->profil = p;
	w->queued = true;
	init_task_work(&w->work, wait_callback);
	profil_task_work_add(t, &w->work);
	/* The mapping still has its reference: it drops that after switches are drained. */
	kref_get(&p->ref);
}

/* The samples of @t, if there are any, are for its callback, or lost. */
static void end_wait(struct profil *p, struct profil_wait *w, struct task_struct *t,
		     const struct reached *r)
{
	if (!w->held && (flags_of(t) & PF_EXITING || READ_ONCE(p->stacks->ended))) {
		profil_stat_add(&p->status->waits_lost, r->n);
		release(w, t);
		return;
	}
	if (r->n)
		add_samples(p, w, r);
	if (w->held)
		return;
	note_place(w, task_pt_regs(t));
	w->held = true;
	push(p, w, t);
}

static __always_inline struct profil_waiter waiter_of(u64 next, struct profil_wait *w)
{
	return (struct profil_waiter) { .next = next, .w = w };
}

/* Not inline: most waits reach no sample. */
static noinline struct profil_waiter
reached_sample(struct profil *p, const struct profil_run *run, struct profil_wait *w,
	       struct task_struct *t, u64 next, u64 waited)
{
	struct reached r = reach(p, run, t, next, waited, ktime_get_ns());

	end_wait(p, w, t, &r);
	return waiter_of(r.next, w);
}

/* A new thread has waited for its CPU until now. It makes room for itself, too. */
static noinline struct profil_waiter
first_time(struct profil *p, const struct profil_run *run, struct task_struct *t, u64 now)
{
	struct profil_stacks *s = p->stacks;
	bool roomy = is_roomy(s, get_nr_threads(t), PROFIL_WAITS_PER_THREAD);
	u64 now_ns = ktime_get_ns();
	u64 age = min_t(u64, now_ns - t->start_time, now - s->started);
	u64 next = place_after(p, run, t, now - age);
	struct reached r = { .next = next };
	struct profil_wait *w;

	if (now >= next)
		r = reach(p, run, t, next, now, now_ns);
	if (!r.n && roomy)
		return waiter_of(next, NULL);
	w = claim(s, t);
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

/* Not inline, so that profil_waits_in() saves few registers. */
static noinline struct profil_waiter
begin_running(struct profil *p, const struct profil_run *run, struct task_struct *t, u64 now)
{
	/* Pairs with profil_stack_prepare(). */
	struct profil_stacks *s = READ_ONCE(p->stacks);
	u64 waited = waited_at(now, ran(t)), next;
	struct profil_wait *w;

	if (unlikely(!s || flags_of(t) & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)))
		return waiter_of(0, NULL);
	w = find(s, t);
	if (!w || !w->next) {
		if (!w && !t->se.sum_exec_runtime)
			return first_time(p, run, t, now);
		return waiter_of(place_after(p, run, t, waited), w);
	}
	next = w->next;
	w->next = 0;
	if (waited >= next)
		return reached_sample(p, run, w, t, next, waited);
	if (!w->held)
		release(w, t);
	return waiter_of(next, w);
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
	struct profil_wait *w = s ? top_of(s, t) : NULL;
	u64 next;

	/* The most common case: the first of its set, and no sample. */
	lockdep_assert_irqs_disabled();
	if (unlikely(!w || READ_ONCE(w->task) != t || w->held))
		return begin_running(p, run, t, now);
	next = w->next;
	if (unlikely(now - t->se.sum_exec_runtime >= next))
		return begin_running(p, run, t, now);
	w->next = 0;
	release(w, t);
	return waiter_of(next, NULL);
}

/**
 * profil_waits_out() - the current thread begins to wait.
 * @p:        the profile, entered by the switch, with a run with PROFIL_WAITS
 * @waiter:   as profil_waits_in() has returned it for the same run
 * @ran:      its CPU time
 * @runnable: it waits for a CPU
 */
void profil_waits_out(struct profil *p, struct profil_waiter waiter, u64 ran, bool runnable)
{
	struct profil_wait *w = waiter.w;

	lockdep_assert_irqs_disabled();
	if (likely(!w || READ_ONCE(w->task) != current)) {
		w = top_of(p->stacks, current);
		if (unlikely(!w || !try_claim(w, current)))
			w = claim(p->stacks, current);
	}
	if (unlikely(!w)) {
		profil_stat_add(&p->status->waits_lost, 1);
		return;
	}
	w->next = waiter.next;
	w->ran = ran;
	w->runnable = runnable;
	w->running = false;
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
	w = find(s, current);
	if (w) {
		w->next = 0;
		if (!w->held)
			release(w, current);
	}
	return waiter_of(place_after(p, run, current, waited), w);
}

/* --- at a start and a stop ---------------------------------------------------------- */

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

	/* Its callback may end now. */
	raw_spin_lock_irq(&p->lock);
	w = find(s, t) ?: claim(s, t);
	if (w) {
		w->ran = ran(t);
		w->runnable = !profil_task_state(t);
		w->running = profil_task_on_cpu(t);
		w->next = place_after(p, run, t, waited_at(now, w->ran));
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
		if (!(flags_of(t) & (PF_EXITING | PF_IO_WORKER | PF_USER_WORKER)) &&
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
	if (p->stacks->unnoted && !grow(p))
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
 * Copy the user registers of @t, which perhaps runs, or is gone with its stack. They are
 * right if profil_wait_is_on() says so afterwards.
 */
bool profil_wait_registers(struct task_struct *t, struct pt_regs *regs)
{
	const u64 *from = READ_ONCE(t->stack) ? (const u64 *)task_pt_regs(t) : NULL;
	u64 *to = (u64 *)regs;
	unsigned int i;

	if (!from)
		return false;
	BUILD_BUG_ON(sizeof(*regs) % sizeof(*to));
	profil_faults_off();
	for (i = 0; i < sizeof(*regs) / sizeof(*to); i++)
		__get_kernel_nofault(&to[i], &from[i], u64, fault);
	profil_faults_on();
	/* Pairs with its last switch. Until then, the stack is not freed, or another's. */
	smp_rmb();
	return !(profil_task_state(t) & TASK_DEAD);
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
	       (!profil_task_on_cpu(e->task) && ran(e->task) == e->wait->ran);
}

/* The thread still waits: this is the end of its samples. */
static void cut_wait(struct profil *p, struct profil_wait *w, u64 until, u64 until_ns)
{
	struct task_struct *t = w->task;
	u64 waited, next = w->next;
	struct pt_regs regs;
	struct reached r;

	lockdep_assert_held(&p->lock);
	w->next = 0;
	if (w->running) {
		if (has_run_unseen(p, t))
			return;
		w->ran = ran(t);
	}
	/* Not ran(t): it may have run since the end of the run. */
	waited = waited_at(until, w->ran);
	if (waited < next)
		return;
	r = reach(p, p->run, t, next, waited, until_ns);
	if (w->held) {
		add_samples(p, w, &r);
	} else if (profil_wait_registers(t, &regs)) {
		add_samples(p, w, &r);
		note_place(w, &regs);
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
		raw_spin_lock_irq(&p->lock);
		if (p->stage == PROFIL_STOPPING && w->task && w->next)
			cut_wait(p, w, until, until_ns);
		raw_spin_unlock_irq(&p->lock);
		cond_resched();
	}
}

/* Free @w, unless a callback will do so. */
static void settle_end(struct profil *p, struct profil_wait *w)
{
	struct task_struct *t = NULL;

	raw_spin_lock_irq(&p->lock);
	if (p->stage == PROFIL_STOPPING && w->task && !w->queued) {
		drop_samples(p, w);
		w->held = false;
		t = w->task;
		free_wait(w);
	}
	raw_spin_unlock_irq(&p->lock);
	if (t)
		put_task_struct(t);
}

/* Write the samples of @w. 0 or -EINTR. */
static int settle_wait(struct profil *p, struct profil_wait *w)
{
	struct profil_stacks_entry e;
	struct task_struct *t;
	int err = 0;

	raw_spin_lock_irq(&p->lock);
	t = w->task;
	if (t) {
		get_task_struct(t);
		e = entry_of(w, task_cpu(t));
		/* Now: a thread that is gone has no id. */
		e.thread = profil_stream_thread_id(&e);
	}
	raw_spin_unlock_irq(&p->lock);
	if (!t)
		return 0;
	e.walking = true;
	if (e.thread)
		err = profil_capture_settle_entry(p, &e);
	if (!err)
		settle_end(p, w);
	put_task_struct(t);
	return err;
}

static int settle_waits(struct profil *p, struct profil_wait *w, unsigned int n)
{
	int err = 0;

	for (; n && !err; n--, w++) {
		if (!READ_ONCE(w->task))
			continue;
		err = fatal_signal_pending(current) ? -EINTR : settle_wait(p, w);
		cond_resched();
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
	if (!s || !(p->run->flags & PROFIL_WAITS))
		return 0;
	for (level = 0; level < s->nwaits; level++)
		cut_waits(p, s->waits[level], PROFIL_WAITS_ENTRIES(level));
	for (level = 0; level < s->nwaits && !err; level++)
		err = settle_waits(p, s->waits[level], PROFIL_WAITS_ENTRIES(level));
	return err;
}

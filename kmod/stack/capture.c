// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks with stacks. The tick takes an entry for its thread and queues the entry's
 * callback, in which the thread walks its stack on its way to user mode. Several ticks at
 * the same place in a system call share an entry and a stack. A stop walks the stacks of
 * threads that have not run their callbacks yet.
 *
 * A tick takes no lock. While a thread walks, its ticks queue nothing: a thread runs task
 * work until none is left, so it could go on for ever. A tick is counted as stackless if
 * it finds no free entry, or if its thread's entry has ticks from another place.
 *
 * tests/model/stacks.pml is a model of the entries.
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "compat.h"
#include "profile.h"
#include "stack/registers.h"
#include "stack/stack.h"
#include "stack/state.h"
#include "stack/waits.h"

/* A thread's id in its own pid namespace; it has one until it is reaped. */
static __always_inline u32 own_id(const struct task_struct *t)
{
	const struct pid *pid = READ_ONCE(t->thread_pid);

	return pid->numbers[pid->level].nr;
}

/*
 * The set of entries for thread @t. A process can find out which threads share
 * a set. So the thread's id chooses the set, and not a secret such as a kernel address. A
 * thread whose id has changed, by exec, does not find its old entry. Threads that share
 * a set mostly have different sets in the next level.
 */
static __always_inline struct profil_stacks_entry *
own_set(struct profil_stacks_entry *entries, unsigned int level, const struct task_struct *t)
{
	u32 id = own_id(t);
	u32 set = level ? hash_32(id, PROFIL_STACKS_SETS_BITS + level)
			: id % (1 << PROFIL_STACKS_SETS_BITS);

	return &entries[PROFIL_STACKS_WAYS * set];
}

/* The entry of thread @t, which is the current one or about to run, or NULL. */
static struct profil_stacks_entry *own_entry(struct profil_stacks *s,
					     const struct task_struct *t)
{
	struct profil_stacks_entry *entries, *set;
	unsigned int level, i;

	for (level = 0; level < PROFIL_STACKS_LEVELS; level++) {
		entries = READ_ONCE(s->level[level]);
		if (!entries)
			break;
		set = own_set(entries, level, t);
		for (i = 0; i < PROFIL_STACKS_WAYS; i++)
			if (READ_ONCE(set[i].task) == t)
				return &set[i];
	}
	for (i = 0; i < s->nearly; i++)
		if (READ_ONCE(s->early[i].task) == t)
			return &s->early[i];
	return NULL;
}

static struct profil_stacks_entry *walking_entry(struct profil *p, const struct task_struct *t)
{
	struct profil_stacks *s = READ_ONCE(p->stacks);
	struct profil_stacks_entry *e;

	/* A thread sees at least itself. */
	if (!s || likely(!atomic_read(&s->walkers)))
		return NULL;
	e = own_entry(s, t);
	return e && e->walking ? e : NULL;
}

/* Is @t, which is the current thread or about to run, walking its stack for ticks? */
bool profil_capture_is_walking(struct profil *p, const struct task_struct *t)
{
	return walking_entry(p, t);
}

/* The same. If it is, it writes its samples of waits, too, before it goes on. */
bool profil_capture_takes_waits(struct profil *p, const struct task_struct *t)
{
	struct profil_stacks_entry *e = walking_entry(p, t);

	if (e)
		WRITE_ONCE(e->waits, true);
	return e;
}

/* --- in the thread, on its way to user mode ------------------------------------- */

static __always_inline bool has_samples(const struct profil_stacks_entry *e)
{
	const struct profil_wait *w = e->wait;

	if (likely(!w))
		return READ_ONCE(e->count);
	return READ_ONCE(w->task) == e->task &&
	       (READ_ONCE(w->of[0].count) || READ_ONCE(w->of[1].count));
}

/* Tries to write a record whose page is absent. */
#define WRITE_TRIES	3
/*
 * More records, for ticks that came while the last one was written. On a machine whose CPUs
 * a hypervisor lets run seldom, most writes wait for the lock for longer than a tick.
 */
#define WRITES_MORE	31
/* More looks whether the thread has waited while it walked. */
#define WAITS_MORE	3

/* False: the ticks could not be written. */
static __always_inline bool write_look(struct profil *p, struct profil_stacks_entry *e,
				       struct profil_stack_look *look)
{
	unsigned int tries;
	int err;

	for (tries = 0; tries < WRITE_TRIES; tries++) {
		err = profil_stream_write(p, e, look, PROFIL_TRY);
		if (err != -EAGAIN)
			return !err;
		cond_resched();
	}
	return false;
}

/* Walk the stack. NULL: no memory; else put_unwinder() ends the use of the result. */
static __always_inline struct profil_unwinder *
walk(struct profil *p, struct profil_stack_look *look, struct pt_regs *regs)
{
	struct profil_stacks *s = p->stacks;
	/* The unwinder that keeps rules walks for one thread at a time. */
	bool locked = !test_and_set_bit_lock(0, &s->walking);
	struct profil_unwinder *unwinder;

	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) && current->mm != p->mm);
	/* The first walk of a fork child. */
	if (locked && !s->unwinder)
		WRITE_ONCE(s->unwinder, profil_walk_alloc(p, true));
	unwinder = locked ? s->unwinder : profil_walk_alloc(p, false);
	if (unwinder)
		profil_walk(unwinder, &look->from, regs, &look->walked);
	else if (locked)
		clear_bit_unlock(0, &s->walking);
	/* A thread that waits in the write must not keep a replaced table. */
	profil_object_table_put(look->from.table);
	profil_test_delay();
	return unwinder;
}

static __always_inline void put_unwinder(struct profil_stacks *s,
					 struct profil_unwinder *unwinder)
{
	if (unwinder && unwinder == READ_ONCE(s->unwinder))
		clear_bit_unlock(0, &s->walking);
	else
		profil_walk_free(unwinder);
}

/*
 * Walk, and write the stack. The write has interrupts off. A tick that falls due
 * meanwhile comes right after it, with the same place and the same stack.
 */
static __always_inline void walk_entry(struct profil *p, struct profil_stacks_entry *e,
				       struct profil_stack_look *look)
{
	struct profil_unwinder *unwinder = walk(p, look, task_pt_regs(current));
	unsigned int again;

	for (again = 0; again <= WRITES_MORE; again++)
		if (!write_look(p, e, unwinder ? look : NULL) ||
		    !has_samples(e))
			break;
	put_unwinder(p->stacks, unwinder);
}

static __always_inline void fill_look(struct profil *p, const struct profil_stacks_entry *e,
				      u32 thread, struct profil_stack_look *look)
{
	lockdep_assert_held(&p->lock);
	look->run = p->stacks->run;
	look->from.ip = e->ip;
	look->from.sp = e->sp;
	look->from.thread = thread;
	look->from.table = p->table;
	if (p->table)
		kref_get(&p->table->ref);
}

/* Fill in @look for the entry's ticks. False: there are none. */
static __always_inline bool begin_walk(struct profil *p, struct profil_stacks_entry *e,
				       struct profil_stack_look *look)
{
	u32 id = own_id(current);
	bool wanted;

	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(READ_ONCE(e->task) != current || e->walking);
	wanted = has_samples(e) && !p->stacks->ended && p->stacks->writer &&
		 (p->stage == PROFIL_LIVE || p->stage == PROFIL_STOPPING);
	if (wanted) {
		e->walking = true;
		e->thread = id;
		if (!e->wait) {
			atomic_inc(&p->stacks->walkers);
			if (!e->time_ns)
				e->time_ns = ktime_get_ns();
		}
		fill_look(p, e, id, look);
	}
	raw_spin_unlock_irq(&p->lock);
	return wanted;
}

/* Ticks that are still in the entry have no record. Not inline: they are rare. */
static noinline void drop_rest(struct profil *p, struct profil_stacks_entry *e)
{
	raw_spin_lock(&p->lock);
	if (e->count)
		profil_stream_drop_entry(p, e);
	if (e->waits)
		profil_waits_drop(p);
	e->waits = false;
	raw_spin_unlock(&p->lock);
}

/*
 * Free the entry. With interrupts off, no tick or switch of this thread adds to it, and a
 * stop leaves an entry without ticks alone, so that one is freed without the lock.
 */
static __always_inline void unreserve(struct profil *p, struct profil_stacks_entry *e)
{
	local_irq_disable();
	WARN_ON_ONCE(READ_ONCE(e->task) != current);
	/* Pairs with the end of the entry in a stop. */
	if (unlikely(smp_load_acquire(&e->count) || e->waits))
		drop_rest(p, e);
	if (likely(e->walking))
		WARN_ON_ONCE(atomic_add_negative(-1, &p->stacks->walkers));
	e->walking = false;
	/* Pairs with the reservation. */
	smp_store_release(&e->task, NULL);
	local_irq_enable();
}

/*
 * Walk the stack for the entry of the current thread, and free the entry, which has a
 * reference on the profile.
 *
 * After an exec, and at exit, current->mm is not the profile's. User registers are valid
 * wherever task work runs. A test traces this function by its name.
 */
static void profil_stack_callback(struct callback_head *work)
{
	struct profil_stacks_entry *e = container_of(work, struct profil_stacks_entry, work);
	struct profil *p = e->profil;
	struct profil_stack_look look __uninitialized;
	unsigned int again;

	profil_may_sleep();
	if (unlikely(current->mm != p->mm))
		goto unreserve;
	/* First: ticks until then have the same place as those of the entry. */
	if (unlikely(READ_ONCE(p->stacks->full)))
		profil_stack_grow(p->stacks);
	if (begin_walk(p, e, &look)) {
		walk_entry(p, e, &look);
		for (again = 0; unlikely(READ_ONCE(e->waits)) && again <= WAITS_MORE; again++) {
			WRITE_ONCE(e->waits, false);
			profil_waits_write(p);
		}
	}
unreserve:
	unreserve(p, e);
	/* Last: this reference may keep the module loaded. */
	profil_put(p);
}

/* The current thread writes records of its waits, in a callback of waits.c. */
void profil_capture_write(struct profil *p, struct profil_wait *w)
{
	struct profil_stacks_entry e = profil_wait_entry(w, raw_smp_processor_id());
	struct profil_stack_look look __uninitialized;

	profil_may_sleep();
	if (unlikely(READ_ONCE(p->stacks->full)))
		profil_stack_grow(p->stacks);
	if (begin_walk(p, &e, &look))
		walk_entry(p, &e, &look);
}

/* --- in a stop ------------------------------------------------------------------ */

/*
 * Fill in @look and @regs for the ticks of another thread. Until that thread has ended
 * its callback, which frees the entry, it does not return to user mode. So its registers
 * and stack are those of the tick, with two exceptions: a return from a signal handler
 * changes all registers, and so does exec, after it has changed the mm. False: no walk.
 *
 * If the thread walks its stack meanwhile, the first of both to have the lock writes it.
 */
static bool begin_look(struct profil *p, struct profil_stacks_entry *e,
		       struct profil_stack_look *look, struct pt_regs *regs)
{
	struct task_struct *task;
	bool wanted;

	raw_spin_lock_irq(&p->lock);
	task = READ_ONCE(e->task);
	wanted = task && has_samples(e) && !p->stacks->ended && p->stage == PROFIL_STOPPING;
	if (wanted) {
		if (!e->wait)
			*regs = *task_pt_regs(task);
		else if (!profil_wait_registers(p, task, regs))
			wanted = false;
	}
	if (wanted) {
		/* Pairs with exec: the mm is read after the registers. */
		smp_rmb();
		wanted = READ_ONCE(task->mm) == p->mm &&
			 instruction_pointer(regs) == e->ip &&
			 user_stack_pointer(regs) == e->sp &&
			 !(e->kernel && e->syscall == __NR_rt_sigreturn);
	}
	if (wanted)
		fill_look(p, e, profil_stream_thread_id(e), look);
	raw_spin_unlock_irq(&p->lock);
	return wanted;
}

/*
 * Write the ticks of @e, or samples of waits, with the stack if it can be walked. 0 or
 * -EINTR.
 */
int profil_capture_settle_entry(struct profil *p, struct profil_stacks_entry *e)
{
	struct profil_stack_look look = {};
	struct profil_unwinder *unwinder = NULL;
	struct pt_regs regs;
	bool seen;
	int err;

	if (unlikely(READ_ONCE(p->stacks->full)) && has_samples(e))
		profil_stack_grow(p->stacks);
	if (begin_look(p, e, &look, &regs))
		unwinder = walk(p, &look, &regs);
	/* A thread that still waits has no callback, so it may have gone on. */
	seen = unwinder && (!e->wait || profil_wait_is_on(e));
	err = profil_stream_settle(p, e, seen ? &look : NULL);
	put_unwinder(p->stacks, unwinder);
	return err;
}

/* The same for @n entries. A level that a thread adds meanwhile has no ticks. */
static int settle_level(struct profil *p, struct profil_stacks_entry *entries, unsigned int n)
{
	unsigned int i;
	int err;

	for (i = 0; entries && i < n; i++) {
		if (!READ_ONCE(entries[i].task))
			continue;
		err = fatal_signal_pending(current) ? -EINTR :
		      profil_capture_settle_entry(p, &entries[i]);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

/**
 * profil_capture_settle() - write all ticks that wait for their stacks.
 * @p: the profile of the caller's address space, with a run; ticks have been drained
 *
 * Return: 0; -EINTR: a fatal signal; the rest is left to the next call.
 */
int profil_capture_settle(struct profil *p)
{
	struct profil_stacks *s = p->stacks;
	unsigned int level;
	int err;

	might_sleep();
	lockdep_assert_held(&p->control);
	if (!s)
		return 0;
	err = settle_level(p, s->early, s->nearly);
	for (level = 0; level < PROFIL_STACKS_LEVELS && !err; level++)
		err = settle_level(p, READ_ONCE(s->level[level]), PROFIL_STACKS_ENTRIES(level));
	if (err)
		return err;
	raw_spin_lock_irq(&p->lock);
	WARN_ON_ONCE(p->stage == PROFIL_STOPPING &&
		     p->status->ticks != s->recorded + p->status->stackless);
	raw_spin_unlock_irq(&p->lock);
	return 0;
}

/* --- in the tick ---------------------------------------------------------------- */

/* A thread in user mode runs its callback at once, so the callback reads the time. */
static __always_inline void fill_entry(struct profil_stacks_entry *e,
				       u64 sample, u64 ip, u64 sp, bool user)
{
	e->count = 1;
	e->kernel = !user;
	e->ip = ip;
	e->sp = sp;
	e->sample = sample;
	e->cpu = raw_smp_processor_id();
	if (user)
		return;
	e->time_ns = ktime_get_ns();
	e->syscall = profil_registers_syscall(current, task_pt_regs(current));
}

/* Fills an entry of the current thread, and queues its callback. */
static __always_inline void push(struct profil *p, struct profil_stacks_entry *e,
				 u64 sample, u64 ip, u64 sp, bool user)
{
	fill_entry(e, sample, ip, sp, user);
	e->profil = p;
	init_task_work(&e->work, profil_stack_callback);
	profil_task_work_add(current, &e->work);
	/* The mapping still has its reference: it drops that after ticks are drained. */
	kref_get(&p->ref);
}

static noinline void count_stackless(struct profil *p)
{
	profil_stat_add(&p->status->stackless, 1);
}

/* Takes a free one of @n entries for the current thread; NULL: there is none. */
static struct profil_stacks_entry *take_of(struct profil_stacks_entry *entries, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!READ_ONCE(entries[i].task) && !cmpxchg(&entries[i].task, NULL, current))
			return &entries[i];
	return NULL;
}

/* The first entry of the lowest set is not free. Not inline: it is rare. */
static noinline void push_other(struct profil *p, struct profil_stacks *s,
				u64 sample, u64 ip, u64 sp, bool user)
{
	unsigned int level, n = user ? PROFIL_STACKS_WAYS : PROFIL_STACKS_WAYS_SYSTEM;
	struct profil_stacks_entry *entries, *e = NULL;

	for (level = 0; level < PROFIL_STACKS_LEVELS && !e; level++) {
		entries = READ_ONCE(s->level[level]);
		if (!entries)
			break;
		e = take_of(own_set(entries, level, current), n);
	}
	/* The last is for a tick in user mode, which walks at once. */
	if (!level)
		e = take_of(s->early, s->nearly - !user);
	if (e) {
		push(p, e, sample, ip, sp, user);
		return;
	}
	WRITE_ONCE(s->full, true);
	count_stackless(p);
}

/* Takes a free entry for the current thread, if there is one. */
static __always_inline void reserve(struct profil *p, struct profil_stacks *s,
				    u64 sample, u64 ip, u64 sp, bool user)
{
	struct profil_stacks_entry *entries = READ_ONCE(s->level[0]);
	struct profil_stacks_entry *set = own_set(entries, 0, current);

	/* Makes the compiler use one base address for all fields. */
	OPTIMIZER_HIDE_VAR(set);
	if (likely(entries) && likely(!cmpxchg(&set->task, NULL, current)))
		push(p, set, sample, ip, sp, user);
	else
		push_other(p, s, sample, ip, sp, user);
}

/* False: the entry has ticks of another place. */
static bool add_tick(struct profil_stacks_entry *e, u64 sample, u64 ip, u64 sp)
{
	/* Its ticks are written, but the callback has not ended yet. */
	if (!e->count) {
		fill_entry(e, sample, ip, sp, false);
		return true;
	}
	if (e->ip != ip || e->sp != sp || e->count == U32_MAX)
		return false;
	e->count++;
	e->last_ns = ktime_get_ns();
	return true;
}

/* A thread in the kernel may have an entry. Not inline: it is rare. */
static noinline void tick_in_kernel(struct profil *p, struct profil_stacks *s,
				    u64 sample, u64 ip, u64 sp)
{
	struct profil_stacks_entry *e = own_entry(s, current);

	/* A thread that applies updates gets no callback: see update/callback.c. */
	if (!e && !(profil_task_flags() & PF_EXITING) &&
	    READ_ONCE(p->applier) != current)
		reserve(p, s, sample, ip, sp, false);
	else if (!e || !add_tick(e, sample, ip, sp))
		count_stackless(p);
}

/**
 * profil_capture_tick() - queue the walk of a tick's stack.
 * @p:      the profile, whose run has stacks; entered by the tick
 * @sample: position of the tick in the sample array
 * @ip:     the user pc
 * @user:   the tick interrupted user mode. Then the thread has no entry, as it has run
 *          its callbacks before.
 */
void profil_capture_tick(struct profil *p, u64 sample, u64 ip, bool user)
{
	u64 sp = user_stack_pointer(task_pt_regs(current));
	/* Pairs with profil_stack_prepare(). */
	struct profil_stacks *s = READ_ONCE(p->stacks);

	/* Rare cases end in another function, so this one saves no register. */
	lockdep_assert_irqs_disabled();
	if (unlikely(!s || READ_ONCE(s->ended)))
		count_stackless(p);
	else if (likely(user))
		reserve(p, s, sample, ip, sp, true);
	else
		tick_in_kernel(p, s, sample, ip, sp);
}

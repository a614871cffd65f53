/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls between the files about waits: see waits.c. */
#ifndef _PROFIL_STACK_WAITS_H
#define _PROFIL_STACK_WAITS_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <asm/ptrace.h>

#include "compat.h"
#include "profile.h"
#include "run.h"
#include "stack/registers.h"
#include "stack/stack.h"
#include "stack/state.h"

static __always_inline unsigned int profil_wait_flags(const struct task_struct *t)
{
	/* Only the thread itself changes those that callers test. */
	return data_race(t->flags);
}

/* The id of @t outside of all namespaces. */
static __always_inline u32 profil_wait_id(const struct task_struct *t)
{
	return READ_ONCE(t->pid);
}

/*
 * Threads that are started one after the other have different sets. A thread's id is no
 * secret; a set by its address would tell others about that.
 */
static __always_inline struct profil_wait *
profil_wait_set(const struct profil_stacks *s, unsigned int level, const struct task_struct *t)
{
	u32 set = profil_wait_id(t) & ((1U << (PROFIL_WAITS_SETS_BITS + level)) - 1);

	return &s->waits[level][PROFIL_WAITS_WAYS * set];
}

/*
 * Is @w that of @t? A thread that has exited before the run has seen it leaves its place, and
 * another may then have its address. A thread that executes a program may get another id.
 */
static __always_inline bool
profil_wait_is_of(const struct profil_wait *w, const struct task_struct *t)
{
	return READ_ONCE(w->task) == t && likely(READ_ONCE(w->id) == profil_wait_id(t));
}

/* The first of the set of @t in the highest level, which most threads have; or NULL. */
static __always_inline struct profil_wait *
profil_wait_top(const struct profil_stacks *s, const struct task_struct *t)
{
	/* Pairs with add_level(). */
	unsigned int levels = smp_load_acquire(&s->nwaits);

	return likely(levels) ? profil_wait_set(s, levels - 1, t) : NULL;
}

/* The one of @t, or a free one (NULL), behind @first, the first of a set; or NULL. */
static __always_inline struct profil_wait *
profil_wait_behind(struct profil_wait *first, const struct task_struct *t)
{
	struct profil_wait *w;

	BUILD_BUG_ON(PROFIL_WAITS_WAYS != 4);
	for (w = first + 1; w < first + PROFIL_WAITS_WAYS; w++)
		if (t ? profil_wait_is_of(w, t) : !READ_ONCE(w->task))
			return w;
	return NULL;
}

static __always_inline void profil_wait_free(struct profil_wait *w)
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) &&
		     (w->next || w->held || w->queued || w->walking || w->of[0].count ||
		      w->of[1].count));
	/* Pairs with profil_wait_claim(). */
	smp_store_release(&w->task, NULL);
}

/* Exact, unless it runs. */
static __always_inline u64 profil_wait_ran(const struct task_struct *t)
{
	return READ_ONCE(t->se.sum_exec_runtime);
}

/* How often it has left its CPU to sleep. */
static __always_inline u64 profil_wait_sleeps(const struct task_struct *t)
{
	return READ_ONCE(t->nvcsw);
}

/* @t, which ran when the start noted it, has left its CPU at least once since: to sleep? */
static __always_inline void profil_wait_begun(struct profil_wait *w, const struct task_struct *t)
{
	w->runnable = w->runnable && w->ran == profil_wait_sleeps(t);
	w->running = false;
}

/* The waiting time at @clock of a thread that has run for @ran then. */
static __always_inline u64 profil_wait_waited(u64 clock, u64 ran)
{
	return clock > ran ? clock - ran : 0;
}

/**
 * struct profil_wait_reached - the samples of a wait.
 * @n:        their number.
 * @first_ns: time of the first one.
 * @last_ns:  time of the last one.
 * @next:     place of the next one.
 */
struct profil_wait_reached {
	u64	n;
	u64	first_ns;
	u64	last_ns;
	u64	next;
};

/* A number for the waiting time of thread @id; that for its CPU time is another one. */
static __always_inline u64 profil_wait_key(const struct profil *p, u32 id)
{
	return ~p->choice.key + id;
}

/*
 * Samples from the one at @next on, until thread @id has waited for @waited, at @now_ns.
 * Most waits reach one or two.
 */
static __always_inline struct profil_wait_reached
profil_wait_reach(const struct profil *p, const struct profil_run *run,
		  u32 id, u64 next, u64 waited, u64 now_ns)
{
	u64 period = profil_clock_period(run->rate), key = profil_wait_key(p, id);
	u64 first = div64_u64(next, period), block = div64_u64(waited, period);
	u64 place = profil_clock_place(key, block, period), last = place;

	if (place <= waited)
		place = profil_clock_place(key, ++block, period);
	else
		last = block - 1 > first ? profil_clock_place(key, block - 1, period) : next;
	return (struct profil_wait_reached) {
		.n		= block - first,
		.first_ns	= now_ns - (waited - next),
		.last_ns	= now_ns - (waited - last),
		.next		= place,
	};
}

/* Where the thread will go on in user mode. */
static __always_inline void profil_wait_note_place(struct profil_wait *w, struct pt_regs *regs)
{
	w->ip = instruction_pointer(regs);
	w->sp = user_stack_pointer(regs);
	w->syscall = profil_registers_syscall(w->task, regs);
}

static __always_inline void
profil_wait_add_samples(struct profil *p, struct profil_wait *w,
			const struct profil_wait_reached *r)
{
	struct profil_wait_samples *of = &w->of[w->runnable];
	u32 n = min_t(u64, r->n, U32_MAX - of->count);

	if (!of->count)
		of->first_ns = r->first_ns;
	of->last_ns = r->last_ns;
	of->count += n;
	if (unlikely(r->n > n))
		profil_stat_add(&p->status->waits_lost, r->n - n);
}

/* What the stream writes for @w. */
static __always_inline struct profil_stacks_entry
profil_wait_entry(struct profil_wait *w, u32 cpu)
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

struct profil_wait *profil_wait_find(const struct profil_stacks *s, const struct task_struct *t);
struct profil_wait *profil_wait_claim(struct profil_stacks *s, struct task_struct *t);
bool profil_wait_is_roomy(const struct profil_stacks *s, unsigned int threads, unsigned int each);
int profil_wait_grow(struct profil *p);
u64 profil_wait_place_after(const struct profil *p, const struct profil_run *run,
			    const struct task_struct *t, u64 waited);
void profil_wait_drop(struct profil *p, struct profil_wait *w);

#endif /* _PROFIL_STACK_WAITS_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of a profile with stacks: made when the first run with stacks is started
 * or forked, and freed with the profile.
 */
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "profile.h"
#include "request.h"
#include "run.h"
#include "stack/stack.h"
#include "stack/state.h"

static bool stacks = true;
module_param(stacks, bool, 0644);
MODULE_PARM_DESC(stacks, "N refuses call stacks in new profiles with EOPNOTSUPP (default Y)");

/* The version of streams; 0: the administrator has switched stacks off. */
u32 profil_stack_version(void)
{
	return READ_ONCE(stacks) ? PROFIL_STACKS_VERSION : 0;
}

/* May a run have the stream of @req, at @stacks? 0; -EINVAL, -EFAULT, -EOPNOTSUPP. */
int profil_stack_check(const struct profil_samples *req, u64 stacks)
{
	/* A thread's profile has no table of objects. */
	if (req->flags & PROFIL_THREAD)
		return -EINVAL;
	if (req->stacks_size < PROFIL_STACKS_SIZE_MIN ||
	    stacks + req->stacks_size < stacks)
		return -EINVAL;
	if (!profil_stack_version() ||
	    (req->flags & PROFIL_WAITS && !profil_clock_switches))
		return -EOPNOTSUPP;
	return profil_request_is_user(stacks, req->stacks_size) ? 0 : -EFAULT;
}

/* Allocate the writer. False: no memory. */
static bool add_writer(struct profil_stacks *s)
{
	struct profil_stacks_writer *new = kvzalloc(sizeof(*new), PROFIL_GFP_OPTIONAL);

	BUILD_BUG_ON(sizeof(*new) > 8 * 1024);
	if (!new)
		return false;
	raw_spin_lock_irq(s->lock);
	if (!s->writer)
		swap(s->writer, new);
	raw_spin_unlock_irq(s->lock);
	kvfree(new);
	return true;
}

/* Add a level of entries, if there is memory. */
static void add_level(struct profil_stacks *s, unsigned int level)
{
	struct profil_stacks_entry *new;

	/* docs/security.md states the memory of stacks. */
	BUILD_BUG_ON(PROFIL_STACKS_ENTRIES(0) * sizeof(*new) > 32 * 1024);
	BUILD_BUG_ON(PROFIL_STACKS_BELOW(PROFIL_STACKS_LEVELS) * sizeof(*new) > 480 * 1024);
	BUILD_BUG_ON(sizeof(struct profil_stack_last) > 2048);
	new = kvcalloc(PROFIL_STACKS_ENTRIES(level), sizeof(*new), PROFIL_GFP_OPTIONAL);
	raw_spin_lock_irq(s->lock);
	if (!s->level[level] && new) {
		/* Pairs with readers in ticks. */
		smp_store_release(&s->level[level], new);
		new = NULL;
	}
	raw_spin_unlock_irq(s->lock);
	kvfree(new);
}

/* The lowest level that is missing, if there are threads for it. */
static unsigned int level_wanted(const struct profil_stacks *s)
{
	unsigned int level = 0;

	while (level < PROFIL_STACKS_LEVELS && READ_ONCE(s->level[level]))
		level++;
	/*
	 * Each thread has an early entry, also those of a process that shares the memory: to
	 * clear a level takes as long as several walks.
	 */
	if (!level && READ_ONCE(s->records) < PROFIL_STACKS_SOON &&
	    s->nearly > atomic_read(&current->mm->mm_users))
		return PROFIL_STACKS_LEVELS;
	if (level && PROFIL_STACKS_BELOW(level) >=
		     PROFIL_STACKS_PER_THREAD * get_nr_threads(current))
		level = PROFIL_STACKS_LEVELS;
	return level;
}

/* Allocate the last stack of a thread that lacks it. False: no memory. */
static bool add_last(struct profil_stacks *s)
{
	struct profil_stack_last *new = kmalloc(sizeof(*new), PROFIL_GFP_OPTIONAL);

	if (!new)
		return false;
	/* To clear all of it takes as long as a walk. */
	new->nframes = 0;
	raw_spin_lock_irq(s->lock);
	if (s->lacking && !s->lacking->last)
		swap(s->lacking->last, new);
	s->lacking = NULL;
	raw_spin_unlock_irq(s->lock);
	kfree(new);
	return true;
}

/* Add what is missing. False: no memory. */
static bool add_missing(struct profil_stacks *s)
{
	unsigned int level;

	if (!READ_ONCE(s->writer) && !add_writer(s))
		return false;
	if (READ_ONCE(s->lacking) && !add_last(s))
		return false;
	for (;;) {
		level = level_wanted(s);
		if (level == PROFIL_STACKS_LEVELS)
			return true;
		add_level(s, level);
		if (!READ_ONCE(s->level[level]))
			return false;
	}
}

/*
 * Add what is missing: a writer, without which there are no walks, a last stack, and levels
 * of entries while there are threads for them. Not in a thread that has left its process.
 */
void profil_stack_grow(struct profil_stacks *s)
{
	u32 poor = READ_ONCE(s->poor), pause;

	if (WARN_ON_ONCE(!current->mm))
		return;
	if (unlikely(poor)) {
		WRITE_ONCE(s->poor, poor - 1);
		return;
	}
	WRITE_ONCE(s->full, false);
	if (add_missing(s)) {
		WRITE_ONCE(s->pause, 0);
		return;
	}
	pause = min(2 * READ_ONCE(s->pause) + 1, PROFIL_STACKS_POOR);
	WRITE_ONCE(s->pause, pause);
	WRITE_ONCE(s->poor, pause);
	WRITE_ONCE(s->full, true);
}

/* As little as possible if @lazy; NULL: no memory. */
static struct profil_stacks *stacks_alloc(struct profil *p, bool lazy)
{
	unsigned int early = lazy ? clamp(num_online_cpus(), PROFIL_STACKS_EARLY,
					  PROFIL_STACKS_ENTRIES(0)) : 0;
	struct profil_stacks *s = kvzalloc(struct_size(s, early, early), GFP_KERNEL_ACCOUNT);

	BUILD_BUG_ON(sizeof(*s) > 384 || sizeof(*s->early) != 128);
	if (!s)
		return NULL;
	s->lock = &p->lock;
	s->nearly = early;
	/* The first walk allocates the rest. */
	s->full = lazy;
	if (lazy)
		return s;
	s->unwinder = profil_walk_alloc(p, true);
	profil_stack_grow(s);
	/* Without the lowest level there is none. */
	if (s->level[0])
		return s;
	profil_walk_free(s->unwinder);
	kvfree(s->writer);
	kvfree(s);
	return NULL;
}

/*
 * Allocate what @run, with stacks, needs: 0 or -ENOMEM. Called with @control held, or
 * for a fork child that no tick finds yet.
 */
int profil_stack_prepare(struct profil *p, const struct profil_run *run)
{
	struct profil_stacks *s;
	bool lazy;

	if (p->stacks)
		return profil_waits_prepare(p, run);
	/* In a fork, the parent would wait. Many threads may have ticks before the first walk. */
	lazy = p->mm != current->mm || (run->flags & PROFIL_LAZY &&
					get_nr_threads(current) <= PROFIL_STACKS_EARLY);
	s = stacks_alloc(p, lazy);
	if (!s)
		return -ENOMEM;
	raw_spin_lock_irq(&p->lock);
	/*
	 * Pairs with profil_capture_tick(): the run of a fork child that found no
	 * memory has stacks already.
	 */
	smp_store_release(&p->stacks, s);
	raw_spin_unlock_irq(&p->lock);
	return profil_waits_prepare(p, run);
}

/* Begin @run, with stacks. Its stream begins at the start of the memory. */
void profil_stack_begin(struct profil *p, const struct profil_run *run)
{
	struct profil_stacks *s = p->stacks;
	unsigned int i;

	lockdep_assert_held(&p->lock);
	if (!s)
		return;
	s->run++;
	s->position = 0;
	s->recorded = 0;
	s->started = local_clock();
	if (run->flags & PROFIL_WAITS)
		profil_stat_add(&p->status->waits_lost, s->unnoted);
	s->stream = (struct profil_stack_encoder) {};
	for (i = 0; s->writer && i < PROFIL_STACKS_THREADS; i++) {
		s->writer->thread[i].thread = 0;
		s->writer->thread[i].record = 0;
		if (s->writer->thread[i].last)
			s->writer->thread[i].last->nframes = 0;
	}
	WRITE_ONCE(s->ended, false);
}

/*
 * Write all samples that wait for their stacks, after a run with stacks. Only such a run
 * uses entries and waits, so there is nothing to settle after any other. 0 or -EINTR.
 */
int profil_stack_settle(struct profil *p)
{
	return profil_capture_settle(p) ?: profil_waits_settle(p);
}

/* Is the current thread walking its stack? */
bool profil_stack_is_walking(struct profil *p)
{
	return profil_capture_is_walking(p, current) || profil_waits_is_walking(p);
}

/* Threads with an entry hold the profile, so no thread has one. */
void profil_stack_free(struct profil *p)
{
	struct profil_stacks *s = p->stacks;
	unsigned int i, level;

	profil_object_table_put(p->table);
	if (!s)
		return;
	for (level = 0; level < PROFIL_STACKS_LEVELS && s->level[level]; level++) {
		for (i = 0; i < PROFIL_STACKS_ENTRIES(level); i++)
			WARN_ON_ONCE(s->level[level][i].task);
		kvfree(s->level[level]);
	}
	for (i = 0; i < s->nearly; i++)
		WARN_ON_ONCE(s->early[i].task);
	profil_waits_free(s);
	for (i = 0; s->writer && i < PROFIL_STACKS_THREADS; i++)
		kfree(s->writer->thread[i].last);
	kvfree(s->writer);
	profil_walk_free(s->unwinder);
	kvfree(s);
}

/* Thread @id takes the place of another one. */
void profil_stack_replace_thread(struct profil_stacks *s, struct profil_stacks_thread *thread,
				 u32 id)
{
	lockdep_assert_held(s->lock);
	/* Preempted threads keep entries, and may run their callbacks late: wait for no tick. */
	if (level_wanted(s) != PROFIL_STACKS_LEVELS)
		WRITE_ONCE(s->full, true);
	thread->thread = id;
	thread->record = 0;
	memset(thread->name, 0, sizeof(thread->name));
	if (thread->last)
		thread->last->nframes = 0;
}

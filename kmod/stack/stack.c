// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of a profile with stacks: made when the first run with stacks is started
 * or forked, and freed with the profile.
 */
#include <linux/build_bug.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "profile.h"
#include "run.h"
#include "stack/stack.h"
#include "stack/state.h"

static bool stacks = true;
module_param(stacks, bool, 0644);
MODULE_PARM_DESC(stacks, "N refuses call stacks in new profiles with EOPNOTSUPP (default Y)");

/* May a run have stacks? 0; -EOPNOTSUPP: the administrator has switched them off. */
int profil_stack_check(void)
{
	return READ_ONCE(stacks) ? 0 : -EOPNOTSUPP;
}

/* The version of streams; 0: there are none. */
u32 profil_stack_version(void)
{
	return profil_stack_check() ? 0 : PROFIL_STACKS_VERSION;
}

/* For the profile with @lock; NULL: no memory. */
static struct profil_stacks *stacks_alloc(raw_spinlock_t *lock, bool forked)
{
	struct profil_stacks *s = kvzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);

	/* docs/security.md states the memory of stacks. */
	BUILD_BUG_ON(sizeof(*s) > 40 * 1024);
	BUILD_BUG_ON(sizeof(*s->entry) != 128);
	BUILD_BUG_ON(sizeof(struct profil_stack_last) > 2048);
	if (!s)
		return NULL;
	s->lock = lock;
	s->level[0] = s->entry;
	mutex_init(&s->walking);
	/* In a fork the parent would wait for it. Without it, the first walk tries again. */
	if (!forked)
		s->unwinder = profil_walk_alloc(true);
	return s;
}

/*
 * Allocate what @run needs for stacks: 0 or -ENOMEM. Called with @control held, or
 * for a fork child that no tick finds yet.
 */
int profil_stack_prepare(struct profil *p, const struct profil_run *run)
{
	struct profil_stacks *s;

	if (!run->stacks)
		return 0;
	if (p->stacks)
		return profil_waits_prepare(p, run);
	s = stacks_alloc(&p->lock, p->mm != current->mm);
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

/* Begin @run. Its stream of stacks, if any, begins at the start of the memory. */
void profil_stack_begin(struct profil *p, const struct profil_run *run)
{
	struct profil_stacks *s = p->stacks;
	unsigned int i;

	lockdep_assert_held(&p->lock);
	if (!run->stacks || !s)
		return;
	s->run++;
	s->position = 0;
	s->recorded = 0;
	s->started = local_clock();
	if (run->flags & PROFIL_WAITS)
		profil_stat_add(&p->status->waits_lost, s->unnoted);
	s->stream = (struct profil_stack_encoder) {};
	for (i = 0; i < PROFIL_STACKS_THREADS; i++) {
		s->thread[i].thread = 0;
		if (s->thread[i].last)
			s->thread[i].last->nframes = 0;
	}
	WRITE_ONCE(s->ended, false);
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
		if (level)
			kvfree(s->level[level]);
	}
	profil_waits_free(s);
	for (i = 0; i < PROFIL_STACKS_THREADS; i++)
		kfree(s->thread[i].last);
	profil_walk_free(s->unwinder);
	kvfree(s);
}

/* The state of thread @id. It replaces that of another thread in the same place. */
struct profil_stacks_thread *profil_stack_thread(struct profil_stacks *s, u32 id)
{
	struct profil_stacks_thread *thread = &s->thread[id % PROFIL_STACKS_THREADS];

	lockdep_assert_held(s->lock);
	if (thread->thread == id)
		return thread;
	thread->thread = id;
	memset(thread->name, 0, sizeof(thread->name));
	if (thread->last)
		thread->last->nframes = 0;
	return thread;
}

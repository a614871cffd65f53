// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a profile has that has been asked for stacks: made when the first run with
 * stacks is started, or forked, and freed with the profile.
 *
 * Layer: profile, on ground.
 */
#include <linux/build_bug.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "stacks.h"
#include "unwind_current.h"

/* For the profile of @lock; NULL without memory. */
struct profil_stacks *profil_stacks_alloc(raw_spinlock_t *lock)
{
	struct profil_stacks *s = kvzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);

	/* docs/security.md says what stacks take. */
	BUILD_BUG_ON(sizeof(*s) > 40 * 1024);
	BUILD_BUG_ON(sizeof(struct profil_stack_last) > 2048);
	if (!s)
		return NULL;
	s->lock = lock;
	mutex_init(&s->walking);
	s->unwinder = profil_unwinder_alloc(true);
	if (s->unwinder)
		return s;
	kvfree(s);
	return NULL;
}

/* No thread has an entry any more: each would hold the profile. */
void profil_stacks_free(struct profil_stacks *s)
{
	unsigned int i;

	if (!s)
		return;
	for (i = 0; i < PROFIL_STACKS_ENTRIES; i++)
		WARN_ON_ONCE(s->entry[i].task);
	for (i = 0; i < PROFIL_STACKS_THREADS; i++)
		kfree(s->thread[i].last);
	profil_unwinder_free(s->unwinder);
	kvfree(s);
}

/* A run begins, and with it another stream. */
void profil_stacks_begin(struct profil_stacks *s)
{
	unsigned int i;

	lockdep_assert_held(s->lock);
	s->run++;
	s->position = 0;
	s->recorded = 0;
	s->ahead = 0;
	WRITE_ONCE(s->behind, true);
	s->stream = (struct profil_stack_encoder) {};
	for (i = 0; i < PROFIL_STACKS_THREADS; i++) {
		s->thread[i].thread = 0;
		if (s->thread[i].last)
			s->thread[i].last->nframes = 0;
	}
	WRITE_ONCE(s->ended, false);
}

struct profil_stack_last *profil_stacks_last_alloc(void)
{
	return kzalloc(sizeof(struct profil_stack_last), GFP_KERNEL_ACCOUNT);
}

/* A place for thread @id: its own, a free one, or one that is to be forgotten. */
static struct profil_stacks_thread *profil_stacks_thread_place(struct profil_stacks *s, u32 id)
{
	struct profil_stacks_thread *at, *found = NULL;
	unsigned int i;

	for (i = 0; i < PROFIL_STACKS_PROBES; i++) {
		at = &s->thread[(id + i) % PROFIL_STACKS_THREADS];
		if (at->thread == id)
			return at;
		if (!found && !at->thread)
			found = at;
	}
	i = s->evict % PROFIL_STACKS_PROBES;
	if (!found)
		s->evict++;
	return found ?: &s->thread[(id + i) % PROFIL_STACKS_THREADS];
}

/* What is known of thread @id. */
struct profil_stacks_thread *profil_stacks_thread(struct profil_stacks *s, u32 id)
{
	struct profil_stacks_thread *thread = profil_stacks_thread_place(s, id);

	lockdep_assert_held(s->lock);
	if (thread->thread == id)
		return thread;
	thread->thread = id;
	memset(thread->name, 0, sizeof(thread->name));
	if (thread->last)
		thread->last->nframes = 0;
	return thread;
}

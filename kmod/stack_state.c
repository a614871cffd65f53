// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a profile has that has been asked for stacks: made when the first run with
 * stacks is started, or forked, and freed with the profile.
 *
 * Layer: profile, on ground.
 */
#include <linux/build_bug.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "stack_state.h"
#include "walk.h"

/* NULL without memory. */
struct profil_stacks *profil_stacks_alloc(void)
{
	struct profil_stacks *s = kvzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);

	/* docs/security.md says what stacks take. */
	BUILD_BUG_ON(sizeof(*s) > 40 * 1024);
	BUILD_BUG_ON(sizeof(struct profil_record_last) > 2048);
	if (!s)
		return NULL;
	mutex_init(&s->walking);
	s->walker = profil_walker_alloc(true);
	if (s->walker)
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
	for (i = 0; i < PROFIL_STACK_ENTRIES; i++)
		WARN_ON_ONCE(s->entry[i].task);
	for (i = 0; i < PROFIL_STACK_THREADS; i++)
		kfree(s->thread[i].last);
	profil_walker_free(s->walker);
	kvfree(s);
}

/* A run begins, and with it another stream. Under @lock of the profile. */
void profil_stacks_begin(struct profil_stacks *s)
{
	unsigned int i;

	s->run++;
	s->position = 0;
	s->recorded = 0;
	s->ahead = 0;
	s->stream = (struct profil_record_stream) {};
	for (i = 0; i < PROFIL_STACK_THREADS; i++) {
		s->thread[i].thread = 0;
		if (s->thread[i].last)
			s->thread[i].last->nframes = 0;
	}
	WRITE_ONCE(s->ended, false);
}

struct profil_record_last *profil_stack_last_alloc(void)
{
	return kzalloc(sizeof(struct profil_record_last), GFP_KERNEL_ACCOUNT);
}

/* A place for thread @id: its own, a free one, or one that is to be forgotten. */
static struct profil_stack_thread *profil_stack_thread_place(struct profil_stacks *s, u32 id)
{
	struct profil_stack_thread *at, *found = NULL;
	unsigned int i;

	for (i = 0; i < PROFIL_STACK_PROBES; i++) {
		at = &s->thread[(id + i) % PROFIL_STACK_THREADS];
		if (at->thread == id)
			return at;
		if (!found && !at->thread)
			found = at;
	}
	i = s->evict % PROFIL_STACK_PROBES;
	if (!found)
		s->evict++;
	return found ?: &s->thread[(id + i) % PROFIL_STACK_THREADS];
}

/* What is known of thread @id. Under @lock of the profile. */
struct profil_stack_thread *profil_stack_thread(struct profil_stacks *s, u32 id)
{
	struct profil_stack_thread *thread = profil_stack_thread_place(s, id);

	if (thread->thread == id)
		return thread;
	thread->thread = id;
	memset(thread->name, 0, sizeof(thread->name));
	if (thread->last)
		thread->last->nframes = 0;
	return thread;
}

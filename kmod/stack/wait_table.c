// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of waits, and the place of a thread's next sample. waits.c describes who may
 * call what.
 */
#include <linux/build_bug.h>
#include <linux/lockdep.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "profile.h"
#include "run.h"
#include "stack/waits.h"

/* The one of @t, or NULL. Most are in the highest level. */
struct profil_wait *profil_wait_find(const struct profil_stacks *s, const struct task_struct *t)
{
	/* Pairs with add_level(). */
	unsigned int level = smp_load_acquire(&s->nwaits), i;
	struct profil_wait *set;

	while (level--) {
		set = profil_wait_set(s, level, t);
		for (i = 0; i < PROFIL_WAITS_WAYS; i++)
			if (profil_wait_is_of(&set[i], t))
				return &set[i];
	}
	return NULL;
}

static bool try_claim(struct profil_wait *w, struct task_struct *t)
{
	if (READ_ONCE(w->task) || cmpxchg(&w->task, NULL, t))
		return false;
	WRITE_ONCE(w->id, profil_wait_id(t));
	return true;
}

/* Take a free one for @t. NULL: there is none; the caller counts the wait as lost. */
struct profil_wait *profil_wait_claim(struct profil_stacks *s, struct task_struct *t)
{
	/* As above. */
	unsigned int level = smp_load_acquire(&s->nwaits), i;
	struct profil_wait *set;

	while (level--) {
		set = profil_wait_set(s, level, t);
		for (i = 0; i < PROFIL_WAITS_WAYS; i++)
			if (try_claim(&set[i], t))
				return &set[i];
	}
	WRITE_ONCE(s->collided, true);
	return NULL;
}

/* Are there @each places for each of @threads threads? */
bool profil_wait_is_roomy(const struct profil_stacks *s, unsigned int threads, unsigned int each)
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
	new = kvcalloc(PROFIL_WAITS_ENTRIES(level), sizeof(*new), PROFIL_GFP_OPTIONAL);
	if (!new)
		return -ENOMEM;
	raw_spin_lock_irq(&p->lock);
	if (s->nwaits == level) {
		s->waits[level] = new;
		/* Pairs with profil_wait_find(). */
		smp_store_release(&s->nwaits, level + 1);
		new = NULL;
	}
	raw_spin_unlock_irq(&p->lock);
	kvfree(new);
	return 0;
}

/* Make room for the threads of the caller. 0 or -ENOMEM: there is less room, or none. */
int profil_wait_grow(struct profil *p)
{
	struct profil_stacks *s = p->stacks;
	unsigned int threads = get_nr_threads(current);
	bool collided = READ_ONCE(s->collided);
	int err = 0;

	WRITE_ONCE(s->crowded, false);
	WRITE_ONCE(s->collided, false);
	while (!err && !profil_wait_is_roomy(s, threads, PROFIL_WAITS_PER_THREAD))
		err = add_level(p, READ_ONCE(s->nwaits));
	if (!err && collided && !profil_wait_is_roomy(s, threads, 2 * PROFIL_WAITS_PER_THREAD))
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
	return profil_wait_grow(p);
}

/* Nothing is queued, as that would hold the profile. */
void profil_waits_free(struct profil_stacks *s)
{
	unsigned int level, i;

	for (level = 0; level < s->nwaits; level++) {
		for (i = 0; i < PROFIL_WAITS_ENTRIES(level); i++)
			WARN_ON_ONCE(s->waits[level][i].queued);
		kvfree(s->waits[level]);
	}
}

/* The first sample after @waited, never 0. */
u64 profil_wait_place_after(const struct profil *p, const struct profil_run *run,
			    const struct task_struct *t, u64 waited)
{
	u64 period = profil_clock_period(run->rate), key = profil_wait_key(p, profil_wait_id(t));
	u64 block = div64_u64(waited, period);
	u64 place = profil_clock_place(key, block, period);

	return place <= waited ? profil_clock_place(key, block + 1, period) : place;
}

void profil_wait_drop(struct profil *p, struct profil_wait *w)
{
	lockdep_assert_held(&p->lock);
	profil_stat_add(&p->status->waits_lost, (u64)w->of[0].count + w->of[1].count);
	w->of[0].count = 0;
	w->of[1].count = 0;
}

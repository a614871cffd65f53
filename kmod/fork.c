// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a fork child gets of its parent's profile. All under the parent's mmap
 * write lock, which the fork holds until everything has been copied.
 *
 * Layer: lifetime, on deferral.
 */
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/spinlock.h>

#include "clock_use.h"
#include "defer.h"
#include "fork.h"
#include "live.h"
#include "objects.h"
#include "profile.h"
#include "run.h"
#include "stacks.h"

/*
 * What a child of @parent is to run, with a reference, or NULL; and the state
 * that it begins with. If that is PROFIL_STATE_ON, the run's clock is taken.
 */
static struct profil_run *profil_branch(struct profil *parent, u32 *state)
{
	struct profil_run *run;

	/* The caller's fork is what profil_wait_for_forks() waits for. */
	mmap_assert_write_locked(parent->mm);
	raw_spin_lock_irq(&parent->lock);
	run = parent->next ?: parent->run;
	if (run) {
		kref_get(&run->ref);
		/*
		 * If it is live after we took the clock, the clock's count did not
		 * pass through 0 since the parent took it: it is armed. And who
		 * starts the next one holds its clock.
		 */
		profil_clock_get(run->rate);
		if (run == parent->next || READ_ONCE(parent->live) == run) {
			WRITE_ONCE(parent->forked, true);
			*state = PROFIL_STATE_ON;
		} else {
			profil_clock_put(run->rate);
			/* Whoever took it away has yet to write why, if it is on. */
			*state = READ_ONCE(parent->status->state);
			if (*state == PROFIL_STATE_ON)
				*state = PROFIL_STATE_OFF;
		}
	}
	raw_spin_unlock_irq(&parent->lock);
	return run;
}

/*
 * Where the child's sample array goes on: what lies below is in memory. Samples
 * in flight when the position was read have been stored, or wait, once they are
 * drained; and what waits, the child's memory will not have.
 */
static u64 profil_child_position(struct profil *parent, const struct profil_run *run)
{
	u64 position = profil_run_nsamples(run);

	profil_drain(parent);
	raw_spin_lock_irq(&parent->lock);
	/* If it has been stopped meanwhile, what waited has been settled. */
	if (parent->run == run)
		position = profil_defer_lowest(parent, position);
	raw_spin_unlock_irq(&parent->lock);
	return position;
}

/*
 * The child has its own stream of stacks, from the beginning of its copy of the
 * memory: what the parent has written there may not be all in it. Without memory
 * its ticks have no stacks, and are counted as such.
 */
static void profil_inherit_stacks(struct profil *child, const struct profil_run *run)
{
	if (run->stacks)
		child->stacks = profil_stacks_alloc(&child->lock);
}

static void profil_inherit_table(struct profil *child, struct profil *parent)
{
	raw_spin_lock_irq(&parent->lock);
	child->table = parent->table;
	child->generation = parent->generation;
	if (child->table)
		kref_get(&child->table->ref);
	raw_spin_unlock_irq(&parent->lock);
}

/*
 * What @parent runs, or is about to run, goes on in @child: the same regions, and
 * the position in the sample array. What waits is the parent's own. Fails only
 * for want of memory.
 */
int profil_inherit(struct profil *child, struct profil *parent)
{
	struct profil_run *from, *run;
	u32 state;

	mmap_assert_write_locked(parent->mm);
	profil_inherit_table(child, parent);
	from = profil_branch(parent, &state);
	if (!from)
		return 0;
	run = profil_run_fork(from);
	if (!run) {
		if (state == PROFIL_STATE_ON)
			profil_clock_put(from->rate);
		profil_run_put(from);
		return -ENOMEM;
	}
	if (run->mode == PROFIL_MODE_SAMPLES)
		atomic64_set(&run->position, profil_child_position(parent, from));
	profil_run_put(from);
	profil_inherit_stacks(child, run);
	raw_spin_lock_irq(&child->lock);
	profil_set_stage(child, PROFIL_LIVE);
	child->run = run;
	profil_status_reset(child, run);
	child->status->state = state;
	if (child->stacks)
		profil_stacks_begin(child->stacks);
	if (state == PROFIL_STATE_ON)
		profil_publish(child, run);
	raw_spin_unlock_irq(&child->lock);
	return 0;
}

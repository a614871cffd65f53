// SPDX-License-Identifier: GPL-2.0-only
/*
 * Updates whose page was absent, or not writable as it was, when the tick came:
 * they wait in the profile's slots until settle.c does them. Whoever empties the
 * slots under the profile's lock knows that nobody writes any more.
 *
 * Layer: deferral, on profile.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include "defer.h"
#include "profile.h"
#include "run.h"
#include "update.h"

/*
 * Have @update wait; false without room. More of the same for a counter share a
 * slot; samples each have an address of their own.
 */
bool profil_slot_add(struct profil *p, const struct profil_update *update)
{
	struct profil_slot *slot = NULL;

	lockdep_assert_held(&p->lock);
	if (p->run->mode == PROFIL_MODE_HISTOGRAM)
		slot = profil_slots_find(&p->slots, update);
	if (slot) {
		slot->update.value += update->value;
		return true;
	}
	return profil_slots_add(&p->slots, &(struct profil_slot) {
		.update	= *update,
		.pid	= current->pid,
		.bytes	= profil_update_bytes(p->run, update),
	});
}

/* See that the next tick in user mode has its thread called back, or need not. */
void profil_defer_set_waiting(struct profil *p, bool waits)
{
	struct profil_run *run = p->run;
	u32 others = run->attention & ~PROFIL_ATTENTION_WAITING;

	lockdep_assert_held(&p->lock);
	WRITE_ONCE(run->attention, others | (waits ? PROFIL_ATTENTION_WAITING : 0));
	if (waits)
		WRITE_ONCE(run->ask, 0);
}

/* The oldest waits no more: it has been done, or given up. */
void profil_slot_remove(struct profil *p)
{
	lockdep_assert_held(&p->lock);
	profil_slots_remove(&p->slots);
	if (!p->slots.n)
		profil_defer_set_waiting(p, false);
}

/* Have @update of a tick wait; false without room, or after a close. */
bool profil_defer_add(struct profil *p, struct profil_run *run,
		      const struct profil_update *update)
{
	bool added = false;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&p->lock);
	/* Ticks are drained before a stop, and while a close is under way. */
	if (p->stage == PROFIL_CLOSED ||
	    WARN_ON_ONCE(p->stage != PROFIL_LIVE || p->run != run))
		goto unlock;
	added = profil_slot_add(p, update);
	profil_defer_set_waiting(p, true);
unlock:
	raw_spin_unlock(&p->lock);
	return added;
}

/* Give up what waits: the memory goes. */
void profil_defer_drop(struct profil *p)
{
	lockdep_assert_held(&p->lock);
	while (p->slots.n) {
		profil_update_drop(p, p->run, &profil_defer_oldest(p)->update);
		profil_slot_remove(p);
	}
}

/* The first element of the sample array below @position that waits, or that. */
u64 profil_defer_lowest(struct profil *p, u64 position)
{
	unsigned int i;

	lockdep_assert_held(&p->lock);
	for (i = 0; i < p->slots.n; i++)
		position = min(position, profil_slots_at(&p->slots, i)->update.index);
	return position;
}

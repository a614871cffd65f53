// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deferred updates: the tick could not write, as the page was absent or not yet
 * writable. This file has the profile's ring of updates, applies one, and ends the
 * region or run if that fails. An update is a sample, or ticks of one counter.
 *
 * The caller holds the profile's @lock, except in profil_update_defer(), and the
 * process's own address space is loaded. Nothing here faults.
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/minmax.h>

#include "update/update.h"

static const struct profil_region_compiled *
region_of(const struct profil_run *run, const struct profil_update *update)
{
	WARN_ON_ONCE(update->index >= run->regions->map.nregions);
	return profil_map_region(&run->regions->map, update->index);
}

/* The slot for the same counter of the same region, or NULL. */
static struct profil_slot *find(struct profil *p, const struct profil_update *update)
{
	struct profil_slot *slot;
	unsigned int i;

	/* docs/security.md states how many a tick looks at, and a fork, munmap or exit. */
	BUILD_BUG_ON(PROFIL_SLOTS > 256);
	for (i = 0; i < p->deferred.n; i++) {
		slot = profil_deferred_at(p, i);
		if (slot->update.addr == update->addr &&
		    slot->update.index == update->index)
			return slot;
	}
	return NULL;
}

/* Ticks of one counter share a slot; each sample has its own address. False: no room. */
static bool add(struct profil *p, const struct profil_run *run,
		const struct profil_update *update)
{
	bool samples = run->mode == PROFIL_MODE_SAMPLES;
	struct profil_slot *slot = samples ? NULL : find(p, update);

	if (slot) {
		slot->update.value += update->value;
		return true;
	}
	if (p->deferred.n == PROFIL_SLOTS)
		return false;
	*profil_deferred_at(p, p->deferred.n++) = (struct profil_slot) {
		.update	= *update,
		.pid	= current->pid,
		.bytes	= samples ? run->width : region_of(run, update)->width,
	};
	return true;
}

/* Does the next tick in user mode push a callback? */
static void set_waiting(struct profil_run *run, bool waits)
{
	u32 others = run->attention & ~PROFIL_ATTENTION_WAITING;

	WRITE_ONCE(run->attention, others | (waits ? PROFIL_ATTENTION_WAITING : 0));
	if (waits)
		WRITE_ONCE(run->ask, 0);
}

/* Defer @update of a tick. False: no room, or the profile is closed. */
bool profil_update_defer(struct profil *p, struct profil_run *run,
			 const struct profil_update *update)
{
	bool added = false;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&p->lock);
	/* A stop has drained ticks before; a close is draining them now. */
	if (p->stage == PROFIL_CLOSED ||
	    WARN_ON_ONCE(p->stage != PROFIL_LIVE || p->run != run))
		goto unlock;
	added = add(p, run, update);
	set_waiting(run, true);
unlock:
	raw_spin_unlock(&p->lock);
	return added;
}

/* Call it only if an update waits. */
struct profil_slot *profil_update_oldest(struct profil *p)
{
	lockdep_assert_held(&p->lock);
	WARN_ON_ONCE(!p->deferred.n);
	return profil_deferred_at(p, 0);
}

/* The oldest update has been applied, or dropped. */
void profil_update_remove(struct profil *p)
{
	lockdep_assert_held(&p->lock);
	if (WARN_ON_ONCE(!p->deferred.n))
		return;
	p->deferred.first++;
	if (!--p->deferred.n)
		set_waiting(p->run, false);
}

/* The first deferred element of the sample array below @position, or @position. */
u64 profil_update_lowest(struct profil *p, u64 position)
{
	unsigned int i;

	lockdep_assert_held(&p->lock);
	for (i = 0; i < p->deferred.n; i++)
		position = min(position, profil_deferred_at(p, i)->update.index);
	return position;
}

/* How often to apply @update. */
u64 profil_update_times(const struct profil_run *run,
			const struct profil_update *update)
{
	return run->mode == PROFIL_MODE_SAMPLES ? 1 : update->value;
}

/*
 * Apply @update, a sample or ticks, once. 0. If nothing changed: -EFAULT, the page is absent;
 * -EAGAIN, user threads changed the word before each try.
 */
int profil_update_apply(struct profil *p, struct profil_run *run,
			const struct profil_update *update)
{
	lockdep_assert_held(&p->lock);
	if (run->mode == PROFIL_MODE_SAMPLES) {
		WARN_ON_ONCE(update->index >= run->capacity);
		return profil_update_store(p, run, update->addr, update->value);
	}
	return profil_update_count(p, run, region_of(run, update), update->addr);
}

/* Give @update up. */
void profil_update_drop(struct profil *p, const struct profil_run *run,
			const struct profil_update *update)
{
	lockdep_assert_held(&p->lock);
	profil_stat_add(&p->status->dropped, profil_update_times(run, update));
}

static void stop_region(struct profil *p, struct profil_run *run,
			const struct profil_update *update)
{
	if (region_of(run, update)->on_fault == PROFIL_FAULT_STOP_ALL) {
		profil_unpublish(p, run, PROFIL_STATE_FAULT);
		return;
	}
	set_bit(update->index, run->stopped);
	WRITE_ONCE(run->attention, run->attention | PROFIL_ATTENTION_STOPPED);
}

/* The array ends where the first store failed. */
static void stop_array(struct profil *p, struct profil_run *run, s64 at)
{
	if (at < atomic64_read(&run->end))
		atomic64_set(&run->end, at);
	profil_unpublish(p, run, PROFIL_STATE_FAULT);
}

/* The memory of @update is gone: give it up, and stop its region or the run. */
void profil_update_fault(struct profil *p, struct profil_run *run,
			 const struct profil_update *update)
{
	lockdep_assert_held(&p->lock);
	profil_update_drop(p, run, update);
	profil_stat_add(&p->status->faults, 1);
	if (run->mode == PROFIL_MODE_SAMPLES)
		stop_array(p, run, update->index);
	else
		stop_region(p, run, update);
}

/* The memory goes: drop all updates. With an empty ring, nothing is written later. */
void profil_update_drop_all(struct profil *p)
{
	lockdep_assert_held(&p->lock);
	while (p->deferred.n) {
		profil_update_drop(p, p->run, &profil_update_oldest(p)->update);
		profil_update_remove(p);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Updates of the process's memory that had to wait: what is one worth, how is
 * it done, and what ends if it cannot be. One is a sample, ticks of a counter,
 * or carries that ticks of a counter that spans words have left: these have an
 * address inside the counter, and their ticks have been counted.
 *
 * Called under @lock of the profile that they wait in, with the process's own
 * address space loaded; nothing here faults.
 *
 * Layer: deferral, on profile.
 */
#include <linux/bitops.h>
#include <linux/lockdep.h>

#include "update.h"

/* A slot that has gone wrong must not become a write to a wrong place. */
static const struct profil_region_compiled *
profil_update_region(const struct profil_run *run, const struct profil_update *update)
{
	if (WARN_ON_ONCE(run->mode != PROFIL_MODE_HISTOGRAM ||
			 update->index >= run->regions->n))
		return NULL;
	return profil_map_region(run->regions->map, update->index);
}

static bool profil_update_is_carry(const struct profil_region_compiled *region,
				   const struct profil_update *update)
{
	return profil_counter_offset(region, update->addr);
}

/* Bytes of memory that @update changes. */
unsigned int profil_update_bytes(const struct profil_run *run,
				 const struct profil_update *update)
{
	const struct profil_region_compiled *region;

	if (run->mode == PROFIL_MODE_SAMPLES)
		return run->width;
	region = profil_update_region(run, update);
	return region ? region->width - profil_counter_offset(region, update->addr) : 0;
}

/* How often @update is to be applied. */
u64 profil_update_times(const struct profil_run *run,
			const struct profil_update *update)
{
	return run->mode == PROFIL_MODE_SAMPLES ? 1 : update->value;
}

static int profil_update_count(struct profil *p, struct profil_run *run,
			       const struct profil_region_compiled *region, u64 addr,
			       u64 *carry)
{
	int verdict = profil_count(p, run, profil_counter_add(region, addr, carry));

	/* There is room for it in the slot that it comes from. */
	if (verdict == PROFIL_COUNT_CARRY)
		profil_stat_add(&p->status->counted, 1);
	return verdict;
}

static int profil_update_carry(struct profil *p, struct profil_run *run,
			       const struct profil_region_compiled *region, u64 addr,
			       u64 *carry)
{
	int verdict;

	*carry = addr;
	verdict = profil_counter_carry(region, carry);
	if (verdict == PROFIL_COUNT_STOP)
		profil_unpublish(p, run, PROFIL_STATE_LIMIT);
	if (verdict >= 0)
		return 0;
	return *carry == addr ? verdict : PROFIL_COUNT_CARRY;
}

/**
 * profil_update_apply() - do @update once.
 * @p:      its profile; @lock is held
 * @run:    its run
 * @update: a sample, a tick or a carry
 * @carry:  out: for PROFIL_COUNT_CARRY, the address of another update
 *
 * Return: 0; PROFIL_COUNT_CARRY: done, but there is a carry to be done; with
 * nothing changed -EFAULT, the page is not there, or -EAGAIN, user threads were
 * quicker each time.
 */
int profil_update_apply(struct profil *p, struct profil_run *run,
			const struct profil_update *update, u64 *carry)
{
	const struct profil_region_compiled *region;

	lockdep_assert_held(&p->lock);
	if (run->mode == PROFIL_MODE_SAMPLES) {
		if (WARN_ON_ONCE(update->index >= run->capacity))
			return -EFAULT;
		return profil_store(p, run, update->addr, update->value);
	}
	region = profil_update_region(run, update);
	if (!region)
		return -EFAULT;
	if (profil_update_is_carry(region, update))
		return profil_update_carry(p, run, region, update->addr, carry);
	return profil_update_count(p, run, region, update->addr, carry);
}

/* Give @update up. The ticks of a carry have been counted. */
void profil_update_drop(struct profil *p, const struct profil_run *run,
			const struct profil_update *update)
{
	lockdep_assert_held(&p->lock);
	if (run->mode == PROFIL_MODE_HISTOGRAM) {
		const struct profil_region_compiled *region =
			profil_update_region(run, update);

		if (!region || profil_update_is_carry(region, update))
			return;
	}
	profil_stat_add(&p->status->dropped, profil_update_times(run, update));
}

static void profil_stop_region(struct profil *p, struct profil_run *run,
			       const struct profil_update *update)
{
	const struct profil_region_compiled *region = profil_update_region(run, update);

	if (!region)
		return;
	if (region->on_fault == PROFIL_FAULT_STOP_ALL) {
		profil_unpublish(p, run, PROFIL_STATE_FAULT);
		return;
	}
	set_bit(update->index, run->stopped);
	WRITE_ONCE(run->attention, run->attention | PROFIL_ATTENTION_STOPPED);
}

/* The array ends where the first store failed. */
static void profil_stop_array(struct profil *p, struct profil_run *run, s64 at)
{
	if (at < atomic64_read(&run->end))
		atomic64_set(&run->end, at);
	profil_unpublish(p, run, PROFIL_STATE_FAULT);
}

/* The memory of @update is gone: give it up, and stop what depends on it. */
void profil_update_fault(struct profil *p, struct profil_run *run,
			 const struct profil_update *update)
{
	lockdep_assert_held(&p->lock);
	profil_update_drop(p, run, update);
	profil_stat_add(&p->status->faults, 1);
	if (run->mode == PROFIL_MODE_SAMPLES)
		profil_stop_array(p, run, update->index);
	else
		profil_stop_region(p, run, update);
}

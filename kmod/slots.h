/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_SLOTS_H
#define _PROFIL_SLOTS_H

#include <linux/types.h>

/**
 * struct profil_update - a change to the process's memory.
 * @addr:   of the counter or the array element.
 * @value:  histogram: how many ticks; sample array: the pc to store.
 * @index:  histogram: the region; sample array: the element's position.
 */
struct profil_update {
	u64	addr;
	u64	value;
	u64	index;
};

/**
 * struct profil_slot - an update that waits for its page.
 * @update: of the profile's run.
 * @pid:    the thread whose tick it was first.
 * @bytes:  that the update changes.
 * @tries:  how often its page was brought in and was gone again.
 */
struct profil_slot {
	struct profil_update	update;
	pid_t			pid;
	u8			bytes;
	u8			tries;
};

/* Distinct counters, or samples, that may wait at one time, per profile. */
#define PROFIL_SLOTS	256

/**
 * struct profil_slots - updates that found their page absent, in a ring.
 * @first: the sequence number of the oldest; slot @first % PROFIL_SLOTS. Never
 *         reset: a number names one update for as long as the profile exists.
 * @n:     how many wait.
 * @slot:  the ring; two pages of their own.
 *
 * Whoever calls has the ring to himself; defer.c asserts profil.lock.
 */
struct profil_slots {
	u64			first;
	unsigned int		n;
	struct profil_slot	*slot;
};

/* The @i-th oldest, or the first free one. */
static inline struct profil_slot *
profil_slots_at(const struct profil_slots *slots, unsigned int i)
{
	return &slots->slot[(slots->first + i) % PROFIL_SLOTS];
}

bool profil_slots_alloc(struct profil_slots *slots);
void profil_slots_free(struct profil_slots *slots);
struct profil_slot *profil_slots_find(const struct profil_slots *slots,
				      const struct profil_update *update);
bool profil_slots_add(struct profil_slots *slots, const struct profil_slot *slot);
void profil_slots_remove(struct profil_slots *slots);

#endif /* _PROFIL_SLOTS_H */

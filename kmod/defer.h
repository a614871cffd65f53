/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_DEFER_H
#define _PROFIL_DEFER_H

#include <linux/types.h>

#include "page.h"

struct profil;
struct profil_run;

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
 * struct profil_defer - updates that found their page absent, in a ring.
 * @first: the sequence number of the oldest; slot @first % PROFIL_SLOTS. Never
 *         reset: a number names one update for as long as the profile exists.
 * @n:     how many wait.
 * @slot:  the ring; two pages of their own.
 *
 * All under profil.lock, writes to the process's memory included.
 */
struct profil_defer {
	u64			first;
	unsigned int		n;
	struct profil_slot	*slot;
};

bool profil_defer_init(struct profil *p);
void profil_defer_free(struct profil *p);
bool profil_defer_add(struct profil *p, struct profil_run *run,
		      const struct profil_update *update);
void profil_defer_drop(struct profil *p);
u64 profil_defer_lowest(struct profil *p, u64 position);
int profil_settle(struct profil *p, enum profil_patience patience);

#endif /* _PROFIL_DEFER_H */

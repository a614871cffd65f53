/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_DEFER_H
#define _PROFIL_DEFER_H

#include <linux/bug.h>
#include <linux/lockdep.h>
#include <linux/types.h>

#include "profile.h"
#include "slots.h"

/* Only while something waits. */
static inline struct profil_slot *profil_defer_oldest(struct profil *p)
{
	lockdep_assert_held(&p->lock);
	WARN_ON_ONCE(!p->slots.n);
	return profil_slots_at(&p->slots, 0);
}

bool profil_slot_add(struct profil *p, const struct profil_update *update);
void profil_slot_remove(struct profil *p);

void profil_defer_set_waiting(struct profil *p, bool waits);
bool profil_defer_add(struct profil *p, struct profil_run *run,
		      const struct profil_update *update);
void profil_defer_drop(struct profil *p);
u64 profil_defer_lowest(struct profil *p, u64 position);

#endif /* _PROFIL_DEFER_H */

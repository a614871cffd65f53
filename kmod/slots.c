// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring of updates that wait. Knows of no profile, and of no lock: who calls
 * has it to himself.
 *
 * Layer: ground.
 */
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/slab.h>

#include "slots.h"

bool profil_slots_alloc(struct profil_slots *slots)
{
	/* docs/security.md says what a profile takes. */
	BUILD_BUG_ON(PROFIL_SLOTS * sizeof(*slots->slot) > 8192);
	slots->slot = kcalloc(PROFIL_SLOTS, sizeof(*slots->slot), GFP_KERNEL_ACCOUNT);
	return slots->slot;
}

void profil_slots_free(struct profil_slots *slots)
{
	WARN_ON_ONCE(slots->n);
	kfree(slots->slot);
}

/* The slot for the same address, of the same region or element, or NULL. */
struct profil_slot *profil_slots_find(const struct profil_slots *slots,
				      const struct profil_update *update)
{
	struct profil_slot *slot;
	unsigned int i;

	for (i = 0; i < slots->n; i++) {
		slot = profil_slots_at(slots, i);
		if (slot->update.addr == update->addr &&
		    slot->update.index == update->index)
			return slot;
	}
	return NULL;
}

/* Behind all others; false without room. */
bool profil_slots_add(struct profil_slots *slots, const struct profil_slot *slot)
{
	if (slots->n == PROFIL_SLOTS)
		return false;
	*profil_slots_at(slots, slots->n++) = *slot;
	return true;
}

/* Take the oldest out. */
void profil_slots_remove(struct profil_slots *slots)
{
	if (WARN_ON_ONCE(!slots->n))
		return;
	slots->first++;
	slots->n--;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_UPDATE_H
#define _PROFIL_UPDATE_H

#include "counter.h"
#include "profile.h"

/* Count a tick in the counter at @addr. 0; -EFAULT, -EAGAIN: not done. */
static __always_inline int profil_update_count(struct profil *p, struct profil_run *run,
					       const struct profil_region_compiled *region,
					       u64 addr)
{
	int verdict = profil_counter_add(region, addr);

	switch (verdict) {
	case PROFIL_COUNT_STORE:
		break;
	case PROFIL_COUNT_STOP:
		profil_unpublish(p, run, PROFIL_STATE_LIMIT);
		fallthrough;
	case PROFIL_COUNT_SATURATED:
		profil_stat_add(&p->status->saturated, 1);
		break;
	default:
		return verdict;
	}
	profil_stat_add(&p->status->counted, 1);
	return 0;
}

/* Store @pc at @addr. 0, or -EFAULT: not done. */
static __always_inline int profil_update_store(struct profil *p, const struct profil_run *run,
					       u64 addr, u64 pc)
{
	if (profil_counter_store(addr, run->width, pc))
		return -EFAULT;
	profil_stat_add(&p->status->counted, 1);
	profil_stat_add(&p->status->nsamples, 1);
	return 0;
}

bool profil_update_defer(struct profil *p, struct profil_run *run,
			 const struct profil_update *update);
struct profil_slot *profil_update_oldest(struct profil *p);
void profil_update_remove(struct profil *p);
u64 profil_update_lowest(struct profil *p, u64 position);
u64 profil_update_times(const struct profil_run *run,
			const struct profil_update *update);
int profil_update_apply(struct profil *p, struct profil_run *run,
			const struct profil_update *update);
void profil_update_drop(struct profil *p, const struct profil_run *run,
			const struct profil_update *update);
void profil_update_fault(struct profil *p, struct profil_run *run,
			 const struct profil_update *update);
void profil_update_drop_all(struct profil *p);

/* apply_deferred.c, prefault.c, callback.c */
int profil_apply_deferred(struct profil *p, enum profil_patience patience);
void profil_prefault_begin(struct profil *p, struct profil_run *run);
void profil_prefault(struct profil *p);
void profil_callback_push(struct profil *p, bool user);

#endif /* _PROFIL_UPDATE_H */

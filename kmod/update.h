/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_UPDATE_H
#define _PROFIL_UPDATE_H

#include <linux/types.h>
#include <linux/profil.h>

#include "counter.h"
#include "live.h"
#include "region.h"
#include "run.h"
#include "slots.h"

/*
 * What follows from the @verdict of profil_counter_add(). 0; -EFAULT, -EAGAIN: not
 * done; PROFIL_COUNT_CARRY: done but for the carry, and not counted as such yet.
 */
static __always_inline int profil_count(struct profil *p, struct profil_run *run,
					int verdict)
{
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
static __always_inline int profil_store(struct profil *p, const struct profil_run *run,
					u64 addr, u64 pc)
{
	if (profil_sample_store(addr, run->width, pc))
		return -EFAULT;
	profil_stat_add(&p->status->counted, 1);
	profil_stat_add(&p->status->nsamples, 1);
	return 0;
}

unsigned int profil_update_bytes(const struct profil_run *run,
				 const struct profil_update *update);
u64 profil_update_times(const struct profil_run *run,
			const struct profil_update *update);
int profil_update_apply(struct profil *p, struct profil_run *run,
			const struct profil_update *update, u64 *carry);
void profil_update_drop(struct profil *p, const struct profil_run *run,
			const struct profil_update *update);
void profil_update_fault(struct profil *p, struct profil_run *run,
			 const struct profil_update *update);

#endif /* _PROFIL_UPDATE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_SAMPLE_H
#define _PROFIL_SAMPLE_H

#include <linux/types.h>

#include "profile.h"

void profil_tick(struct profil *p, bool user, unsigned int rates);

unsigned int profil_update_bytes(const struct profil_run *run,
				 const struct profil_update *update);
u64 profil_update_ticks(const struct profil_run *run,
			const struct profil_update *update);
int profil_update_apply(struct profil *p, struct profil_run *run,
			const struct profil_update *update);
void profil_update_give_up(struct profil *p, struct profil_run *run,
			   const struct profil_update *update);

#endif /* _PROFIL_SAMPLE_H */

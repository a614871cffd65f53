/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_RATE_H
#define _PROFIL_RATE_H

#include <linux/minmax.h>
#include <linux/types.h>

bool profil_rate_due(void);
u64 profil_rate_period(u32 rate);
void profil_rate_init(void);

/* Samples per second for PROFIL_RATE_CLOCK: _SC_CLK_TCK where ticks suffice. */
#define PROFIL_CLOCK_HZ		min(HZ, USER_HZ)

#endif /* _PROFIL_RATE_H */

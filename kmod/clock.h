/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CLOCK_H
#define _PROFIL_CLOCK_H

#include <linux/types.h>

int profil_clock_arm(u32 rate);
void profil_clock_live(u32 rate);
u32 profil_clock_rates(void);
int profil_clock_init(void);
void profil_clock_exit(void);

#endif /* _PROFIL_CLOCK_H */

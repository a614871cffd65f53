/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_TIMER_TICK_H
#define _PROFIL_TIMER_TICK_H

#include <linux/types.h>

bool profil_timer_tick_init(void);
void profil_timer_tick_exit(void);
int profil_timer_tick_start(void);
void profil_timer_tick_stop(void);

#endif /* _PROFIL_TIMER_TICK_H */

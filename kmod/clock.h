/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CLOCK_H
#define _PROFIL_CLOCK_H

#include <linux/types.h>

/**
 * struct profil_clock - a source of ticks.
 * @name:   for messages.
 * @start:  make it call profil_sample(); may sleep. 0 or a negative errno.
 * @stop:   when it returns, the clock calls nothing; may sleep.
 */
struct profil_clock {
	const char	*name;
	int		(*start)(void);
	void		(*stop)(void);
};

extern const struct profil_clock profil_clock_tick;

int profil_clock_arm(u32 rate);
void profil_clock_get(u32 rate);
void profil_clock_put(u32 rate);
u64 profil_clock_period(u32 rate);
void profil_clock_exit(void);

#endif /* _PROFIL_CLOCK_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_DELAY_H
#define _PROFIL_DELAY_H

#include <linux/types.h>

/*
 * Tests widen the windows between the steps of a protocol: a module built with
 * PROFIL_DELAYS=1 has the parameter delay_us, and sleeps that long on average
 * wherever this is called; and late_carries, of how many carries one finds its
 * word contended. Nothing in any other module.
 */
#ifdef PROFIL_DELAYS
void profil_delay(void);
bool profil_delay_carry(void);
#else
static inline void profil_delay(void) { }
static inline bool profil_delay_carry(void) { return false; }
#endif

#endif /* _PROFIL_DELAY_H */

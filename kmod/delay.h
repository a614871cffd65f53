/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_DELAY_H
#define _PROFIL_DELAY_H

/*
 * Tests widen the windows between the steps of a protocol: a module built with
 * PROFIL_DELAYS=1 has the parameter delay_us, and sleeps that long on average
 * wherever this is called. Nothing in any other module.
 */
#ifdef PROFIL_DELAYS
void profil_delay(void);
#else
static inline void profil_delay(void) { }
#endif

#endif /* _PROFIL_DELAY_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CLOCK_WATCH_H
#define _PROFIL_CLOCK_WATCH_H

void profil_watch_begin(void);
void profil_watch_end(void);
void profil_watch_cancel(void);

#endif /* _PROFIL_CLOCK_WATCH_H */

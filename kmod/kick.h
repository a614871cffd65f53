/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_KICK_H
#define _PROFIL_KICK_H

void profil_kick_threads(void);
void profil_kick_everyone(void);
void profil_kick_exit(void);

#endif /* _PROFIL_KICK_H */

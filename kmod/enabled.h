/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_ENABLED_H
#define _PROFIL_ENABLED_H

struct profil;

int profil_enabled_check(void);
void profil_enabled_recheck(struct profil *p);

#endif /* _PROFIL_ENABLED_H */

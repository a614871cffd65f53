/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_HOOK_H
#define _PROFIL_HOOK_H

int profil_hook_set(void);
void profil_hook_remove(void);

#endif /* _PROFIL_HOOK_H */

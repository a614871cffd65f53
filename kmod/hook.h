/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_HOOK_H
#define _PROFIL_HOOK_H

int profil_hook_attach(void);
void profil_hook_detach(void);

#endif /* _PROFIL_HOOK_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CFI_CALLER_H
#define _PROFIL_CFI_CALLER_H

struct profil_unwind;

void profil_cfi_follow(struct profil_unwind *walk);

#endif /* _PROFIL_CFI_CALLER_H */

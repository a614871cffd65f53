/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CFI_ENTRY_H
#define _PROFIL_CFI_ENTRY_H

#include <linux/types.h>

struct profil_unwind;

void profil_cfi_begin(struct profil_unwind *walk);
void profil_cfi_look_up(struct profil_unwind *walk, u64 hdr, u64 pc);

#endif /* _PROFIL_CFI_ENTRY_H */

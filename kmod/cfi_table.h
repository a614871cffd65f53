/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CFI_TABLE_H
#define _PROFIL_CFI_TABLE_H

#include <linux/limits.h>
#include <linux/types.h>

struct profil_unwind;

/* Where no header is. */
#define PROFIL_CFI_NO_TABLE	U64_MAX

u64 profil_cfi_table_find(struct profil_unwind *walk, u64 at, u64 pc);

#endif /* _PROFIL_CFI_TABLE_H */

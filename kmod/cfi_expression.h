/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CFI_EXPRESSION_H
#define _PROFIL_CFI_EXPRESSION_H

#include <linux/types.h>

struct profil_unwind;

/**
 * struct profil_cfi_place - a place that an expression says: reg + n, or the word there.
 * @offset: from
 * @reg:    a register.
 * @deref:  is it the word there,
 * @add:    and this?
 */
struct profil_cfi_place {
	s32	offset;
	u8	reg;
	bool	deref;
	u8	add;
};

u64 profil_cfi_word(struct profil_unwind *walk, u64 addr);
u64 profil_cfi_register(struct profil_unwind *walk, u64 reg);
u64 profil_cfi_evaluate(struct profil_unwind *walk, s32 what, const u64 *cfa);
bool profil_cfi_is_place(struct profil_unwind *walk, s32 what,
			 struct profil_cfi_place *place);

#endif /* _PROFIL_CFI_EXPRESSION_H */

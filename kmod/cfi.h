/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call frame information: from a pc to its row, and from a row to the caller.
 *
 * Pure code, of unwind.h's kind: it is what unwind.c uses for frames without a rule.
 */
#ifndef _PROFIL_CFI_H
#define _PROFIL_CFI_H

#include <linux/types.h>

#include "unwind_state.h"

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

/**
 * profil_cfi_begin() - nothing of an earlier walk is used.
 * @walk: a walk.
 */
void profil_cfi_begin(struct profil_unwind *walk);

/**
 * profil_cfi_look_up() - the row of a pc.
 * @walk: a walk; out: @row, @signal, and where the row begins and ends, or @end.
 * @hdr:  address of .eh_frame_hdr; 0 for none.
 * @pc:   a pc of that object.
 */
void profil_cfi_look_up(struct profil_unwind *walk, u64 hdr, u64 pc);

/**
 * profil_cfi_follow() - from a frame to its caller, by its row.
 * @walk: a walk with a row; out: the caller's registers, or @end.
 */
void profil_cfi_follow(struct profil_unwind *walk);

/**
 * profil_cfi_is_place() - looks whether an expression of a row only says a place.
 * @walk:  a walk with a row.
 * @what:  profil_cfi_rule_what().
 * @place: out.
 *
 * Return: it does.
 */
bool profil_cfi_is_place(struct profil_unwind *walk, s32 what,
			 struct profil_cfi_place *place);

#endif /* _PROFIL_CFI_H */

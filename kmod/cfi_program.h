/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs of CIEs and FDEs. Most operations are of four kinds: these are here, so
 * that they are compiled in one piece with who runs programs.
 */
#ifndef _PROFIL_CFI_PROGRAM_H
#define _PROFIL_CFI_PROGRAM_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "cfi_bytes.h"

/* DWARF 5, 7.24: the first three have an operand in their low six bits. */
enum {
	PROFIL_CFA_ADVANCE_LOC		= 0x40,
	PROFIL_CFA_OFFSET		= 0x80,
	PROFIL_CFA_RESTORE		= 0xc0,
	PROFIL_CFA_NOP			= 0x00,
	PROFIL_CFA_SET_LOC		= 0x01,
	PROFIL_CFA_ADVANCE_LOC1	= 0x02,
	PROFIL_CFA_ADVANCE_LOC2	= 0x03,
	PROFIL_CFA_ADVANCE_LOC4	= 0x04,
	PROFIL_CFA_OFFSET_EXTENDED	= 0x05,
	PROFIL_CFA_RESTORE_EXTENDED	= 0x06,
	PROFIL_CFA_UNDEFINED		= 0x07,
	PROFIL_CFA_SAME_VALUE		= 0x08,
	PROFIL_CFA_REGISTER		= 0x09,
	PROFIL_CFA_REMEMBER_STATE	= 0x0a,
	PROFIL_CFA_RESTORE_STATE	= 0x0b,
	PROFIL_CFA_DEF_CFA		= 0x0c,
	PROFIL_CFA_DEF_CFA_REGISTER	= 0x0d,
	PROFIL_CFA_DEF_CFA_OFFSET	= 0x0e,
	PROFIL_CFA_DEF_CFA_EXPRESSION	= 0x0f,
	PROFIL_CFA_EXPRESSION		= 0x10,
	PROFIL_CFA_OFFSET_EXTENDED_SF	= 0x11,
	PROFIL_CFA_DEF_CFA_SF		= 0x12,
	PROFIL_CFA_DEF_CFA_OFFSET_SF	= 0x13,
	PROFIL_CFA_VAL_OFFSET		= 0x14,
	PROFIL_CFA_VAL_OFFSET_SF	= 0x15,
	PROFIL_CFA_VAL_EXPRESSION	= 0x16,
	/* LSB 5.0 Core, "DWARF Extensions". */
	PROFIL_CFA_GNU_ARGS_SIZE	= 0x2e,
	PROFIL_CFA_GNU_NEGATIVE_OFFSET	= 0x2f,
};

u64 profil_cfi_run_other(struct profil_unwind *walk, u8 op, u64 location);

/* Registers beyond those that are tracked (vectors) may have any rule. */
static inline void profil_cfi_set_rule(struct profil_unwind *walk, u64 reg,
				       enum profil_cfi_how how, u64 what)
{
	if (reg >= PROFIL_REGS)
		return;
	if (unlikely(what + PROFIL_WHAT_MAX > 2 * PROFIL_WHAT_MAX)) {
		profil_cfi_fail(walk, PROFIL_END_UNKNOWN);
		return;
	}
	walk->row.ruled |= BIT(reg);
	walk->row.rule[reg] = (u32)what << PROFIL_HOW_BITS | how;
}

static inline void profil_cfi_restore_rule(struct profil_unwind *walk, u64 reg)
{
	if (reg < PROFIL_REGS)
		walk->row.rule[reg] = walk->initial.rule[reg];
}

static __always_inline void profil_cfi_set_cfa_offset(struct profil_unwind *walk, u64 offset)
{
	if (unlikely(walk->row.cfa_reg >= PROFIL_REGS))
		profil_cfi_fail(walk, PROFIL_END_CFI);
	else if (unlikely((s64)offset != (s32)offset))
		profil_cfi_fail(walk, PROFIL_END_UNKNOWN);
	else
		walk->row.cfa_offset = (s32)offset;
}

/* One operation; and how far it goes, with @left from its location to @pc. */
static __always_inline u64 profil_cfi_run_operation(struct profil_unwind *walk, u64 pc,
						    u64 left)
{
	u32 op = profil_cfi_take_u8(walk);

	if (op < PROFIL_CFA_OFFSET) {
		if (op >= PROFIL_CFA_ADVANCE_LOC)
			return (op - PROFIL_CFA_ADVANCE_LOC) * walk->code_align;
		if (op != PROFIL_CFA_DEF_CFA_OFFSET)
			return profil_cfi_run_other(walk, op, pc - left);
		profil_cfi_set_cfa_offset(walk, profil_cfi_take_uleb(walk));
	} else if (op < PROFIL_CFA_RESTORE) {
		profil_cfi_set_rule(walk, op - PROFIL_CFA_OFFSET, PROFIL_HOW_AT_CFA,
				    profil_cfi_take_uleb(walk) * walk->data_align);
	} else {
		profil_cfi_restore_rule(walk, op - PROFIL_CFA_RESTORE);
	}

	return 0;
}

/**
 * profil_cfi_run() - from a row to the one that contains a pc.
 * @walk:     what follows in its window, up to the limit, is the program; out: @row,
 *            @row_first, @row_last
 * @location: where the row begins that @walk has
 * @pc:       not before
 */
static __always_inline void profil_cfi_run(struct profil_unwind *walk, u64 location, u64 pc)
{
	u64 left = pc - location;

	while (!profil_cfi_is_at_limit(walk)) {
		u64 distance = profil_cfi_run_operation(walk, pc, left);

		/* Rows are in ascending order: one that is not is the last. */
		if (distance > left) {
			walk->row_last = min_t(u64, walk->row_last,
					       pc - left + distance - 1);
			break;
		}
		left -= distance;
	}
	walk->row_first = pc - left;
}

#endif /* _PROFIL_CFI_PROGRAM_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs of CIEs and FDEs, whose operations make rows (DWARF 5, 6.4.1 and
 * 6.4.2), but for the most frequent ones, which are in the header.
 *
 * Layer: ground.
 */
#include <linux/bits.h>

#include "cfi_bytes.h"
#include "cfi_program.h"

/* A block's length and bytes: says where the length stands. */
static u64 take_block(struct profil_unwind *walk)
{
	u64 at = profil_cfi_position(walk);
	u64 bytes = profil_cfi_take_uleb(walk);

	profil_cfi_skip(walk, bytes);

	return at;
}

static void set_cfa(struct profil_unwind *walk, u64 reg, u64 offset)
{
	if (reg >= PROFIL_REGS || (s64)offset != (s32)offset) {
		profil_cfi_fail(walk, PROFIL_END_UNKNOWN);
		return;
	}
	walk->row.cfa_reg = reg;
	walk->row.cfa_offset = (s32)offset;
}

/* Half of the CFA's rule can be changed only if the other half is there. */
static void set_cfa_register(struct profil_unwind *walk, u64 reg)
{
	if (walk->row.cfa_reg >= PROFIL_REGS)
		profil_cfi_fail(walk, PROFIL_END_CFI);
	else
		set_cfa(walk, reg, (u64)walk->row.cfa_offset);
}

static void remember_row(struct profil_unwind *walk)
{
	if (walk->nrows == PROFIL_CFI_ROWS)
		profil_cfi_fail(walk, PROFIL_END_ROWS);
	else
		walk->remembered[walk->nrows++] = walk->row;
}

static void restore_row(struct profil_unwind *walk)
{
	if (walk->nrows)
		walk->row = walk->remembered[--walk->nrows];
	else
		profil_cfi_fail(walk, PROFIL_END_CFI);
}

/* DWARF 5, 6.4.2.2, and the rows as such. */
static bool run_cfa(struct profil_unwind *walk, u8 op)
{
	u64 reg;

	switch (op) {
	case PROFIL_CFA_DEF_CFA:
		reg = profil_cfi_take_uleb(walk);
		set_cfa(walk, reg, profil_cfi_take_uleb(walk));
		return true;
	case PROFIL_CFA_DEF_CFA_SF:
		reg = profil_cfi_take_uleb(walk);
		set_cfa(walk, reg, profil_cfi_take_sleb(walk) * walk->data_align);
		return true;
	case PROFIL_CFA_DEF_CFA_REGISTER:
		set_cfa_register(walk, profil_cfi_take_uleb(walk));
		return true;
	case PROFIL_CFA_DEF_CFA_OFFSET_SF:
		profil_cfi_set_cfa_offset(walk, profil_cfi_take_sleb(walk) * walk->data_align);
		return true;
	case PROFIL_CFA_DEF_CFA_EXPRESSION:
		set_cfa(walk, 0, take_block(walk) - walk->fde);
		walk->row.cfa_reg = PROFIL_CFA_BY_EXPRESSION;
		return true;
	case PROFIL_CFA_REMEMBER_STATE:
		remember_row(walk);
		return true;
	case PROFIL_CFA_RESTORE_STATE:
		restore_row(walk);
		return true;
	case PROFIL_CFA_GNU_ARGS_SIZE:
		profil_cfi_take_uleb(walk);
		return true;
	}

	return false;
}

/* Operations whose first operand is a register that gets a rule. */
#define RULE_OPERATIONS	(BIT_ULL(PROFIL_CFA_OFFSET_EXTENDED) |			\
			 BIT_ULL(PROFIL_CFA_RESTORE_EXTENDED) |			\
			 BIT_ULL(PROFIL_CFA_UNDEFINED) | BIT_ULL(PROFIL_CFA_SAME_VALUE) | \
			 BIT_ULL(PROFIL_CFA_REGISTER) | BIT_ULL(PROFIL_CFA_EXPRESSION) | \
			 BIT_ULL(PROFIL_CFA_OFFSET_EXTENDED_SF) |		\
			 BIT_ULL(PROFIL_CFA_VAL_OFFSET) |			\
			 BIT_ULL(PROFIL_CFA_VAL_OFFSET_SF) |			\
			 BIT_ULL(PROFIL_CFA_VAL_EXPRESSION) |			\
			 BIT_ULL(PROFIL_CFA_GNU_NEGATIVE_OFFSET))

/* DWARF 5, 6.4.2.3 and 6.4.2.4. */
static bool run_rule(struct profil_unwind *walk, u8 op)
{
	u64 reg;

	if (!(RULE_OPERATIONS >> op & 1))
		return false;
	reg = profil_cfi_take_uleb(walk);
	switch (op) {
	case PROFIL_CFA_OFFSET_EXTENDED:
		profil_cfi_set_rule(walk, reg, PROFIL_HOW_AT_CFA,
				    profil_cfi_take_uleb(walk) * walk->data_align);
		return true;
	case PROFIL_CFA_OFFSET_EXTENDED_SF:
		profil_cfi_set_rule(walk, reg, PROFIL_HOW_AT_CFA,
				    profil_cfi_take_sleb(walk) * walk->data_align);
		return true;
	case PROFIL_CFA_GNU_NEGATIVE_OFFSET:
		profil_cfi_set_rule(walk, reg, PROFIL_HOW_AT_CFA,
				    -profil_cfi_take_uleb(walk) * walk->data_align);
		return true;
	case PROFIL_CFA_VAL_OFFSET:
		profil_cfi_set_rule(walk, reg, PROFIL_HOW_CFA,
				    profil_cfi_take_uleb(walk) * walk->data_align);
		return true;
	case PROFIL_CFA_VAL_OFFSET_SF:
		profil_cfi_set_rule(walk, reg, PROFIL_HOW_CFA,
				    profil_cfi_take_sleb(walk) * walk->data_align);
		return true;
	case PROFIL_CFA_RESTORE_EXTENDED:
		profil_cfi_restore_rule(walk, reg);
		return true;
	case PROFIL_CFA_UNDEFINED:
		profil_cfi_set_rule(walk, reg, PROFIL_HOW_UNDEFINED, 0);
		return true;
	case PROFIL_CFA_SAME_VALUE:
		profil_cfi_set_rule(walk, reg, PROFIL_HOW_SAME, 0);
		return true;
	case PROFIL_CFA_REGISTER:
		profil_cfi_set_rule(walk, reg, PROFIL_HOW_REGISTER, profil_cfi_take_uleb(walk));
		return true;
	case PROFIL_CFA_EXPRESSION:
		profil_cfi_set_rule(walk, reg, PROFIL_HOW_AT_EXPRESSION,
				    take_block(walk) - walk->fde);
		return true;
	case PROFIL_CFA_VAL_EXPRESSION:
		profil_cfi_set_rule(walk, reg, PROFIL_HOW_EXPRESSION,
				    take_block(walk) - walk->fde);
		return true;
	}

	return false;
}

/* DWARF 5, 6.4.2.1: how far from @location, if the operation says that. */
static bool run_location(struct profil_unwind *walk, u8 op, u64 location,
			 u64 *distance)
{
	switch (op) {
	case PROFIL_CFA_ADVANCE_LOC1:
		*distance = profil_cfi_take_u8(walk) * walk->code_align;
		return true;
	case PROFIL_CFA_ADVANCE_LOC2:
		*distance = profil_cfi_take_u16(walk) * walk->code_align;
		return true;
	case PROFIL_CFA_ADVANCE_LOC4:
		*distance = profil_cfi_take_u32(walk) * walk->code_align;
		return true;
	case PROFIL_CFA_SET_LOC:
		*distance = profil_cfi_take_address(walk, walk->encoding) - location;
		return true;
	}

	return false;
}

/**
 * profil_cfi_run_other() - run an operation of which there are few.
 * @walk:     a walk; what follows in its window are the operands
 * @op:       without an operand in its low bits
 * @location: where the row begins
 *
 * Return: how far it goes.
 */
u64 profil_cfi_run_other(struct profil_unwind *walk, u8 op, u64 location)
{
	u64 distance = 0;

	if (op != PROFIL_CFA_NOP && !run_cfa(walk, op) && !run_rule(walk, op) &&
	    !run_location(walk, op, location, &distance))
		profil_cfi_fail(walk, PROFIL_END_UNKNOWN);

	return distance;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a frame to its caller, by the frame's row.
 *
 * Layer: ground.
 */
#include <linux/bits.h>
#include <linux/compiler.h>

#include "cfi_bytes.h"
#include "cfi_caller.h"
#include "cfi_expression.h"

static u64 row_cfa(struct profil_unwind *walk)
{
	const struct profil_cfi_row *row = &walk->row;

	if (row->cfa_reg == PROFIL_CFA_BY_EXPRESSION)
		return profil_cfi_evaluate(walk, row->cfa_offset, NULL);
	if (row->cfa_reg == PROFIL_CFA_NONE)
		profil_cfi_fail(walk, PROFIL_END_CFI);

	return profil_cfi_register(walk, row->cfa_reg) + (u64)(s64)row->cfa_offset;
}

/* What the caller had in a register for which there is a rule. */
static u64 row_value(struct profil_unwind *walk, u32 rule, u64 cfa)
{
	s32 what = profil_cfi_rule_what(rule);

	switch (profil_cfi_rule_how(rule)) {
	case PROFIL_HOW_AT_CFA:
		return profil_cfi_word(walk, cfa + (u64)(s64)what);
	case PROFIL_HOW_CFA:
		return cfa + (u64)(s64)what;
	case PROFIL_HOW_REGISTER:
		return profil_cfi_register(walk, (u32)what);
	case PROFIL_HOW_AT_EXPRESSION:
		return profil_cfi_word(walk, profil_cfi_evaluate(walk, what, &cfa));
	default:
		return profil_cfi_evaluate(walk, what, &cfa);
	}
}

/*
 * Registers without a rule are as before, if calls preserve them, or else lost.
 * One with a rule that cannot be followed is lost, unless it leads on.
 */
static void row_registers(struct profil_unwind *walk, u64 cfa)
{
	struct profil_unwind_regs *caller = &walk->caller;
	u64 known;
	u32 i;

	caller->known = 0;
	for (i = 0; i < PROFIL_REGS && !walk->end; i++) {
		u32 rule = walk->row.rule[i];
		u64 bit = BIT_ULL(i);

		known = bit;
		caller->reg[i] = walk->regs.reg[i];
		if (profil_cfi_rule_how(rule) == PROFIL_HOW_UNSPECIFIED)
			known = walk->regs.known & PROFIL_REGS_SAVED & bit;
		else if (profil_cfi_rule_how(rule) == PROFIL_HOW_UNDEFINED)
			known = 0;
		else if (profil_cfi_rule_how(rule) == PROFIL_HOW_SAME)
			known = walk->regs.known & bit;
		else
			caller->reg[i] = row_value(walk, rule, cfa);
		if (walk->end == PROFIL_END_REGISTER && i != PROFIL_REG_PC &&
		    i != PROFIL_REG_SP) {
			walk->end = PROFIL_END_NONE;
			known = 0;
		}
		caller->known |= known;
	}
	if (profil_cfi_rule_how(walk->row.rule[PROFIL_REG_SP]) == PROFIL_HOW_UNSPECIFIED) {
		caller->reg[PROFIL_REG_SP] = cfa;
		caller->known |= BIT_ULL(PROFIL_REG_SP);
	}
	if (!(caller->known >> PROFIL_REG_SP & 1))
		profil_cfi_fail(walk, PROFIL_END_REGISTER);
	/* A signal may have come on a stack of its own. */
	if (!walk->signal && !profil_unwind_is_above(walk, caller->reg[PROFIL_REG_SP]))
		profil_cfi_fail(walk, PROFIL_END_BACKWARDS);
	walk->regs = *caller;
}

/**
 * profil_cfi_follow() - from a frame to its caller, by its row.
 * @walk: a walk with a row; out: the caller's registers, or @end.
 */
void profil_cfi_follow(struct profil_unwind *walk)
{
	enum profil_cfi_how pc = profil_cfi_rule_how(walk->row.rule[PROFIL_REG_PC]);
	u64 cfa;

	if (pc == PROFIL_HOW_UNDEFINED) {
		profil_cfi_fail(walk, PROFIL_END_OUTERMOST);
		return;
	}
	if (pc == PROFIL_HOW_UNSPECIFIED || pc == PROFIL_HOW_SAME)
		profil_cfi_fail(walk, PROFIL_END_CFI);
	cfa = row_cfa(walk);
	if (!walk->end)
		row_registers(walk, cfa);
	walk->exact = walk->signal;
}

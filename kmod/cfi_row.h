/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers, and rows of call frame information: where a caller's registers are.
 */
#ifndef _PROFIL_CFI_ROW_H
#define _PROFIL_CFI_ROW_H

#include <linux/types.h>

/*
 * Registers are called by their DWARF numbers. An architecture is described by
 * these names, and by what unwind_rule.c and unwind_guess.c have
 * under "The architecture".
 */
#if defined(__x86_64__)
/* x86-64 psABI, figure 3.36: rax rdx rcx rbx rsi rdi rbp rsp r8-r15 RA. */
#define PROFIL_REGS		17
#define PROFIL_REG_FP		6
#define PROFIL_REG_SP		7
#define PROFIL_REG_PC		16
/* Figure 3.4, preserved across calls: rbx, rbp, r12 to r15. */
#define PROFIL_REGS_SAVED	0xf048U
/* That many, and the return address. */
#define PROFIL_REG_SLOTS		7
#else
/* arm64 would be x0-x30, sp (AADWARF64 4.1): 32 registers, and the pc. */
#error "cfi_row.h does not describe the registers of this architecture"
#endif

/**
 * struct profil_cfi_row - rules for all registers at a pc, as call frame information
 *                         has them.
 * @rule:       by register: what and how, see below.
 * @ruled:      bit n is set if there may be a rule for register n.
 * @cfa_reg:    the CFA is
 * @cfa_offset: this far from a register; or the result of an expression.
 */
struct profil_cfi_row {
	u32	rule[PROFIL_REGS];
	u32	ruled;
	u32	cfa_reg;
	s32	cfa_offset;
};

/*
 * A register's rule in a row: how in the low bits, what above. What is words of
 * bytes from the CFA, a register, or where an expression's length stands, from
 * the FDE on.
 */
enum profil_cfi_how {
	PROFIL_HOW_UNSPECIFIED,
	PROFIL_HOW_UNDEFINED,
	PROFIL_HOW_SAME,
	PROFIL_HOW_AT_CFA,
	PROFIL_HOW_CFA,
	PROFIL_HOW_REGISTER,
	PROFIL_HOW_AT_EXPRESSION,
	PROFIL_HOW_EXPRESSION,
};

#define PROFIL_HOW_BITS		3
#define PROFIL_WHAT_MAX		((1ULL << (31 - PROFIL_HOW_BITS)) - 1)

/* What may stand where a row has the CFA's register. */
#define PROFIL_CFA_NONE			(~0U)
#define PROFIL_CFA_BY_EXPRESSION	(~1U)

static inline enum profil_cfi_how profil_cfi_rule_how(u32 rule)
{
	return rule & ((1U << PROFIL_HOW_BITS) - 1);
}

static inline s32 profil_cfi_rule_what(u32 rule)
{
	return (s32)rule >> PROFIL_HOW_BITS;
}

#endif /* _PROFIL_CFI_ROW_H */

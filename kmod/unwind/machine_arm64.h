/* SPDX-License-Identifier: GPL-2.0-only */
/* What unwind/ knows of arm64. guess_arm64.c knows its instructions. */
#ifndef _PROFIL_UNWIND_MACHINE_H
#define _PROFIL_UNWIND_MACHINE_H

#define PROFIL_MACHINE_ARM64	1

/*
 * AADWARF64, 4.1: x0-x30 sp. Numbers are those of the registers that rows use: x0, from 1
 * on x16-x30, sp, and PC, which is no register. A call puts the return address into x30.
 */
#define PROFIL_REG_FIRST	16
#define PROFIL_REGS		18
#define PROFIL_REG_FP		14
#define PROFIL_REG_SP		16
#define PROFIL_REG_PC		17
#define PROFIL_COLUMNS		17
#define PROFIL_COLUMN_RA	15
#define PROFIL_HAS_LINK		1
/* AAPCS64, 6.1.1, preserved across calls: x19 to x29. A frame always has a PC. */
#define PROFIL_REGS_SAVED	0x27ff0U
/* Those, and the return address. */
#define PROFIL_RULE_WORDS	12
/* AAPCS64, 6.4.6: the return address is in the word above the saved frame pointer. */
#define PROFIL_HAS_RECORD	1
#define PROFIL_HAS_GAP		1
/* By pointer authentication, in the bits above the address. */
#define PROFIL_RETURNS_SIGNED	1
/* The kernel's code that returns from a handler has no row. */
#define PROFIL_SIGNALS_BY_CODE	0
/* The CFA's register where nothing names one. */
#define PROFIL_CFA_FIRST	PROFIL_CFA_NONE

typedef u32 profil_rule_regs;
typedef u64 profil_unwind_word;
typedef s64 profil_unwind_sword;

static __always_inline u64 profil_machine_reg(u64 dwarf)
{
	if (!dwarf)
		return 0;
	return dwarf < PROFIL_REG_FIRST ? PROFIL_REGS : dwarf - PROFIL_REG_FIRST + 1;
}

#endif /* _PROFIL_UNWIND_MACHINE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* What unwind/ knows of x86-64. guess_x86.c knows its instructions. */
#ifndef _PROFIL_UNWIND_MACHINE_H
#define _PROFIL_UNWIND_MACHINE_H

#define PROFIL_MACHINE_X86_64	1
#define PROFIL_MACHINE_X86	1

/* x86-64 psABI, figure 3.36: rax rdx rcx rbx rsi rdi rbp rsp r8-r15 RA. */
#define PROFIL_REGS		17
#define PROFIL_REG_FP		6
#define PROFIL_REG_SP		7
#define PROFIL_REG_PC		16
#define PROFIL_COLUMNS		17
#define PROFIL_COLUMN_RA	PROFIL_REG_PC
/* A call leaves the return address on the stack, not in a register. */
#define PROFIL_HAS_LINK		0
/* Figure 3.4, preserved across calls: rbx, rbp, r12 to r15. */
#define PROFIL_REGS_SAVED	0xf048U
/* Those, and the return address. */
#define PROFIL_RULE_WORDS	7
/* The return address is in the word below the CFA. */
#define PROFIL_HAS_RECORD	0
#define PROFIL_HAS_GAP		0
#define PROFIL_RETURNS_SIGNED	0
#define PROFIL_SIGNALS_BY_CODE	0
/* The CFA's register where nothing names one. */
#define PROFIL_CFA_FIRST	PROFIL_CFA_NONE

typedef u32 profil_rule_regs;
typedef u64 profil_unwind_word;
typedef s64 profil_unwind_sword;

static __always_inline u64 profil_machine_reg(u64 dwarf)
{
	return dwarf;
}

#endif /* _PROFIL_UNWIND_MACHINE_H */

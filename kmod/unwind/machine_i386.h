/* SPDX-License-Identifier: GPL-2.0-only */
/* What unwind/ knows of 32-bit x86. guess_x86.c knows its instructions. */
#ifndef _PROFIL_UNWIND_MACHINE_H
#define _PROFIL_UNWIND_MACHINE_H

#define PROFIL_MACHINE_I386	1
#define PROFIL_MACHINE_X86	1

/*
 * Numbers are x86-64's of the same registers: a kernel for x86-64 has both walkers, and they
 * share struct profil_unwind.
 */
#define PROFIL_REGS		17
#define PROFIL_REG_FP		6
#define PROFIL_REG_SP		7
#define PROFIL_REG_PC		16
#define PROFIL_COLUMNS		17
#define PROFIL_COLUMN_RA	PROFIL_REG_PC
#define PROFIL_HAS_LINK		0
/* i386 psABI, table 2.3, preserved across calls: ebx, esi, edi, ebp. */
#define PROFIL_REGS_SAVED	0x78U
/* As x86-64's, for one size of struct profil_rule; ebx, esi, edi, ebp and the return address. */
#define PROFIL_RULE_WORDS	7
/* The return address is in the word below the CFA. */
#define PROFIL_HAS_RECORD	0
#define PROFIL_HAS_GAP		0
#define PROFIL_RETURNS_SIGNED	0
#define PROFIL_SIGNALS_BY_CODE	0
/* The CFA's register where nothing names one. */
#define PROFIL_CFA_FIRST	PROFIL_CFA_NONE

typedef u32 profil_rule_regs;
typedef u32 profil_unwind_word;
typedef s32 profil_unwind_sword;

/* Table 2.14: eax ecx edx ebx esp ebp esi edi, four bits each from the lowest; then eip. */
static __always_inline u64 profil_machine_reg(u64 dwarf)
{
	if (dwarf < 8)
		return 0x54673120U >> (4 * dwarf) & 0xf;
	return dwarf == 8 ? PROFIL_REG_PC : PROFIL_REGS;
}

#endif /* _PROFIL_UNWIND_MACHINE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* What unwind/ knows of riscv64. guess_riscv64.c knows its instructions. */
#ifndef _PROFIL_UNWIND_MACHINE_H
#define _PROFIL_UNWIND_MACHINE_H

#define PROFIL_MACHINE_RISCV64	1

/*
 * RISC-V DWARF specification: x0-x31. Numbers are those of the registers that rows use: ra,
 * sp, fp (s0), s1, s2 to s11, t0, and PC, which is no register. A call puts the return
 * address into ra.
 */
#define PROFIL_REGS		16
#define PROFIL_COLUMN_RA	0
#define PROFIL_REG_SP		1
#define PROFIL_REG_FP		2
#define PROFIL_REG_PC		15
#define PROFIL_COLUMNS		15
#define PROFIL_HAS_LINK		1
/* psABI, table 1, preserved across calls: s0 to s11. A frame always has a PC. */
#define PROFIL_REGS_SAVED	0xbffcU
/* Those, and the return address. */
#define PROFIL_RULE_WORDS	13
/* psABI, "Frame Pointer Convention": both are right below the CFA, unless arguments are. */
#define PROFIL_HAS_RECORD	0
#define PROFIL_HAS_GAP		1
#define PROFIL_RETURNS_SIGNED	0
/* The kernel's code that returns from a handler has an empty row. */
#define PROFIL_SIGNALS_BY_CODE	1
/* binutils before 2.41 name the CFA's first register, but not that its offset is 0. */
#define PROFIL_CFA_FIRST	PROFIL_REG_SP

typedef u16 profil_rule_regs;
typedef u64 profil_unwind_word;
typedef s64 profil_unwind_sword;

static __always_inline u64 profil_machine_reg(u64 dwarf)
{
	if (dwarf - 18 < 10)
		return dwarf - 14;
	if (dwarf - 8 < 2)
		return dwarf - 6;
	if (dwarf - 1 < 2)
		return dwarf - 1;
	return dwarf == 5 ? 14 : PROFIL_REGS;
}

#endif /* _PROFIL_UNWIND_MACHINE_H */

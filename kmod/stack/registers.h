/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread's registers in user mode, for a walk, and the system call it is in, or -1. */
#ifndef _PROFIL_STACK_REGISTERS_H
#define _PROFIL_STACK_REGISTERS_H

#include <linux/build_bug.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/syscall.h>

#include "unwind/unwind.h"

#ifdef PROFIL_MACHINE_X86_64
/* Does the thread run 64-bit code? */
static inline bool profil_registers_are_64bit(struct pt_regs *regs)
{
	return user_64bit_mode(regs);
}

/* Those that calls preserve: few walks need the others. */
static inline void profil_registers_get(struct profil_unwind *walk, struct pt_regs *regs)
{
	struct profil_unwind_regs *to = &walk->regs;

	to->reg[3] = regs->bx;
	to->reg[PROFIL_REG_FP] = regs->bp;
	to->reg[PROFIL_REG_SP] = regs->sp;
	to->reg[12] = regs->r12;
	to->reg[13] = regs->r13;
	to->reg[14] = regs->r14;
	to->reg[15] = regs->r15;
	to->reg[PROFIL_REG_PC] = regs->ip;
	to->known = PROFIL_REGS_SAVED | BIT_ULL(PROFIL_REG_SP) | BIT_ULL(PROFIL_REG_PC) |
		    PROFIL_KNOWN_LATER;
}

/* A system call does not preserve three of them. */
static inline void profil_registers_get_rest(struct profil_unwind *walk, struct pt_regs *regs)
{
	struct profil_unwind_regs *to = &walk->regs;

	to->reg[0] = regs->ax;
	to->reg[1] = regs->dx;
	to->reg[2] = regs->cx;
	to->reg[4] = regs->si;
	to->reg[5] = regs->di;
	to->reg[8] = regs->r8;
	to->reg[9] = regs->r9;
	to->reg[10] = regs->r10;
	to->reg[11] = regs->r11;
	to->known = (1ULL << PROFIL_REGS) - 1;
	if (syscall_get_nr(current, regs) != -1)
		to->known &= ~(1ULL << 0 | 1ULL << 2 | 1ULL << 11);
	/*
	 * Its value at the last switch of threads: with FSGSBASE, the process may have another
	 * one since, which misleads its own walk alone.
	 */
	if (regs == task_pt_regs(current)) {
		to->known |= PROFIL_KNOWN_THREAD;
		walk->thread = current->thread.fsbase;
	}
}

/* Of 32-bit code: all of them. A system call does not preserve eax. */
static inline void profil_registers_get_i386(struct profil_unwind *walk, struct pt_regs *regs)
{
	struct profil_unwind_regs *to = &walk->regs;

	to->reg[0] = (u32)regs->ax;
	to->reg[1] = (u32)regs->dx;
	to->reg[2] = (u32)regs->cx;
	to->reg[3] = (u32)regs->bx;
	to->reg[4] = (u32)regs->si;
	to->reg[5] = (u32)regs->di;
	to->reg[PROFIL_REG_FP] = (u32)regs->bp;
	to->reg[PROFIL_REG_SP] = (u32)regs->sp;
	to->reg[PROFIL_REG_PC] = (u32)regs->ip;
	to->known = (BIT_ULL(8) - 1) | BIT_ULL(PROFIL_REG_PC);
	if (syscall_get_nr(current, regs) != -1)
		to->known &= ~1ULL;
}
#else
/* profil_registers_get() gets all. */
static inline void profil_registers_get_rest(struct profil_unwind *walk, struct pt_regs *regs)
{
}
#endif

#ifdef PROFIL_MACHINE_ARM64
static inline bool profil_registers_are_64bit(struct pt_regs *regs)
{
	return !compat_user_mode(regs);
}

/* A system call does not preserve x0. */
static inline void profil_registers_get(struct profil_unwind *walk, struct pt_regs *regs)
{
	struct profil_unwind_regs *to = &walk->regs;
	unsigned int i;

	walk->pc_mask = TASK_SIZE_64 - 1;
	to->reg[0] = regs->regs[0];
	for (i = 1; i <= PROFIL_COLUMN_RA; i++)
		to->reg[i] = regs->regs[PROFIL_REG_FIRST + i - 1];
	to->reg[PROFIL_REG_SP] = regs->sp;
	to->reg[PROFIL_REG_PC] = regs->pc;
	to->known = (1ULL << PROFIL_REGS) - 1;
	if (syscall_get_nr(current, regs) != -1)
		to->known &= ~1ULL;
}
#endif

#ifdef PROFIL_MACHINE_RISCV64
static inline bool profil_registers_are_64bit(struct pt_regs *regs)
{
	return (regs->status & SR_UXL) != SR_UXL_32;
}

/* The number of a system call stays in a7: it is none if the thread was interrupted. */
static inline int profil_registers_syscall(struct task_struct *task, struct pt_regs *regs)
{
	return regs->cause == EXC_SYSCALL ? syscall_get_nr(task, regs) : -1;
}

/* The registers are in the order of their DWARF numbers, with pc in place of x0. */
static inline void profil_registers_get(struct profil_unwind *walk, struct pt_regs *regs)
{
	struct profil_unwind_regs *to = &walk->regs;
	const unsigned long *from = &regs->epc;
	unsigned int i;

	BUILD_BUG_ON(offsetof(struct pt_regs, s11) != 27 * sizeof(*from));
	for (i = 1; i < 32; i++)
		to->reg[profil_machine_reg(i)] = from[i];
	to->reg[PROFIL_REG_PC] = regs->epc;
	to->known = (1ULL << PROFIL_REGS) - 1;
}
#else
static inline int profil_registers_syscall(struct task_struct *task, struct pt_regs *regs)
{
	return syscall_get_nr(task, regs);
}
#endif

#endif /* _PROFIL_STACK_REGISTERS_H */

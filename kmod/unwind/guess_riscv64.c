// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames without call frame information, on riscv64: the return address is in its register
 * or below the frame pointer, and must follow a call. Also frames of signals: the row of
 * the kernel's code that returns from a handler says nothing.
 */
#include <linux/bits.h>
#include <linux/compiler.h>

#include "unwind/unwind.h"

#ifdef PROFIL_MACHINE_RISCV64

/* struct rt_sigframe of the kernel: the registers x0 to x31, with pc in place of x0. */
#define SIGNAL_PC	(128 + 176)

/* execve() allows 6 MiB of arguments, and each takes 10 bytes at least. */
#define ARGUMENTS_MAX	0x100000

/* The most bytes from a function's beginning to its PC. */
#define REACH		0x100000

/* And to a call in it, if that beginning has to be found. */
#define SEARCH		8192

static bool read_code(struct profil_unwind *walk, u64 pc, u32 *code, u32 n)
{
	return !profil_unwind_read(walk, pc, code, n * sizeof(*code));
}

/* The ISA's manual, "RV32/64G Instruction Set Listings": JAL ra. */
static bool is_direct_call(u32 code)
{
	return (code & 0xfff) == 0x0ef;
}

/* That, JALR ra, and C.JALR, which takes two bytes. */
static bool is_call(u32 code)
{
	return is_direct_call(code) || (code & 0x7fff) == 0x00e7 ||
	       ((code >> 16 & 0xf07f) == 0x9002 && code >> 23 & 0x1f);
}

/* Is the instruction before @pc a call? */
bool profil_guess_is_behind_call(struct profil_unwind *walk, u64 pc)
{
	u32 code;

	return read_code(walk, pc - sizeof(code), &code, 1) && is_call(code);
}

/* The walk continues: PC and the registers in @known are the caller's. */
static void go_on(struct profil_unwind *walk, u64 known)
{
	walk->regs.known = known | BIT(PROFIL_REG_PC) | BIT(PROFIL_REG_SP);
	walk->end = PROFIL_END_NONE;
	walk->exact = false;
	walk->guessed = true;
}

/*
 * Is PC at "li a7, __NR_rt_sigreturn; ecall", or behind it: in the system call? So handlers
 * of signals return, and GDB and libgcc know it by the same instructions.
 */
static bool is_signal_return(struct profil_unwind *walk)
{
	u64 pc = walk->regs.reg[PROFIL_REG_PC];
	u32 code[2], back;

	for (back = 0; back <= (walk->exact ? 8 : 0); back += 4)
		if (read_code(walk, pc - back, code, 2) && code[0] == 0x08b00893 &&
		    code[1] == 0x00000073)
			return true;
	return false;
}

/*
 * If this frame returns from a handler, goes to the interrupted frame: the kernel has saved
 * all registers on the handler's stack.
 */
bool profil_guess_signal(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 at = regs->reg[PROFIL_REG_SP] + SIGNAL_PC, dwarf, reg;

	if (!(regs->known >> PROFIL_REG_SP & 1) || !is_signal_return(walk))
		return false;
	walk->end = profil_unwind_read(walk, at, &regs->reg[PROFIL_REG_PC], 8);
	for (dwarf = 1; dwarf < 32 && !walk->end; dwarf++) {
		reg = profil_machine_reg(dwarf);
		if (reg < PROFIL_COLUMNS)
			walk->end = profil_unwind_read(walk, at + 8 * dwarf, &regs->reg[reg], 8);
	}
	regs->known = (1ULL << PROFIL_REGS) - 1;
	walk->exact = true;
	return true;
}

/*
 * A function that calls no other one may have a frame with the frame pointer only, where
 * others have the return address. Is the return address in its register?
 */
static bool is_leaf(struct profil_unwind *walk, u64 fp, u64 saved)
{
	const struct profil_unwind_regs *regs = &walk->regs;

	return walk->exact && regs->known >> PROFIL_COLUMN_RA & 1 &&
	       saved >= fp && saved - fp <= PROFIL_UNWIND_FRAME_BYTES &&
	       profil_guess_is_behind_call(walk, regs->reg[PROFIL_COLUMN_RA]);
}

/*
 * A frame of code with frame pointers: psABI, "Frame Pointer Convention". The frame pointer
 * is the caller's stack pointer, but for functions with variable arguments.
 */
void profil_guess_by_fp(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 fp = regs->reg[PROFIL_REG_FP], sp = regs->reg[PROFIL_REG_SP], word[2];

	if (!(regs->known >> PROFIL_REG_FP & 1) || fp % sizeof(word[0]) ||
	    fp - sizeof(word) - sp > PROFIL_UNWIND_FRAME_BYTES ||
	    profil_unwind_read(walk, fp - sizeof(word), word, sizeof(word))) {
		if (!walk->end)
			walk->end = PROFIL_END_NO_OBJECT;
		return;
	}
	if (!profil_guess_is_behind_call(walk, word[1])) {
		if (!is_leaf(walk, fp, word[1])) {
			if (!walk->end)
				walk->end = PROFIL_END_NO_OBJECT;
			return;
		}
		word[0] = word[1];
		word[1] = regs->reg[PROFIL_COLUMN_RA];
	}
	regs->reg[PROFIL_REG_FP] = word[0];
	regs->reg[PROFIL_REG_PC] = word[1];
	regs->reg[PROFIL_REG_SP] = fp;
	go_on(walk, BIT(PROFIL_REG_FP));
}

/* Where the call before @back leads to, by JAL, or by AUIPC and JALR; @back if nowhere. */
static u64 called(struct profil_unwind *walk, u64 back)
{
	u32 code[2];

	if (!read_code(walk, back - sizeof(code), code, 2))
		return back;
	if (is_direct_call(code[1]))
		return back - 4 + (u64)(s64)((s32)(code[1] & 0x80000000) >> 11 |
					     (s32)(code[1] & 0xff000) |
					     (s32)(code[1] >> 9 & 0x800) |
					     (s32)(code[1] >> 20 & 0x7fe));
	if ((code[0] & 0xfff) == 0x097 && (code[1] & 0xfffff) == 0x080e7)
		return back - 8 + (u64)(s64)(s32)(code[0] & 0xfffff000) +
		       (u64)(s64)((s32)code[1] >> 20);
	return back;
}

static bool is_linkage_header(struct profil_unwind *walk, u64 at)
{
	u32 code[2];

	return read_code(walk, at, code, 2) && (code[0] & 0xfff) == 0x397 &&
	       code[1] == 0x41c30333;
}

/*
 * Is PC in the PLT: in an entry, or in its header, which is as long as two? psABI, "Procedure
 * Linkage Table".
 */
static bool is_linkage(struct profil_unwind *walk, u64 pc)
{
	u64 at = pc & ~15ULL;
	u32 code[3];

	return (read_code(walk, at, code, 3) && (code[0] & 0xfff) == 0xe17 &&
		(code[1] & 0xfffff) == 0xe3e03 && code[2] == 0x000e0367) ||
	       is_linkage_header(walk, at) || is_linkage_header(walk, at - 16);
}

/* SD ra, or C.SDSP ra, on the stack. */
static bool is_saving(const u16 code[2])
{
	return ((code[0] & 0xf07f) == 0x3023 && (code[1] & 0x1ff) == 0x011) ||
	       (code[0] & 0xe07f) == 0xe006;
}

/* Does a function begin between @pc and @back that calls before @back? */
static bool begins_behind(struct profil_unwind *walk, u64 pc, u64 back)
{
	u16 code[PROFIL_CFI_WINDOW / 2 + 1];
	u64 at = back;
	u32 i;

	while (at > pc && back - at < SEARCH) {
		at -= PROFIL_CFI_WINDOW;
		if (profil_unwind_read(walk, at, code, sizeof(code)))
			return false;
		for (i = 0; i < PROFIL_CFI_WINDOW / 2; i++)
			if (is_saving(code + i) && at + 2 * i >= pc)
				return true;
	}
	return false;
}

/*
 * Is the frame pointer that of the function's own frame, so that the stack pointer is not the
 * caller's? Such a frame ends with @back or, if it calls no other, the caller's frame pointer.
 */
static bool has_frame(struct profil_unwind *walk, u64 back)
{
	u64 fp = walk->regs.reg[PROFIL_REG_FP], sp = walk->regs.reg[PROFIL_REG_SP], word;

	return fp - sizeof(word) - sp <= PROFIL_UNWIND_FRAME_BYTES &&
	       !profil_unwind_read(walk, fp - sizeof(word), &word, sizeof(word)) &&
	       (word == back || word - fp <= PROFIL_UNWIND_FRAME_BYTES);
}

/*
 * Has the function not saved its return address yet, and called no other one? Then the call
 * before that address leads to a function that begins before PC, and does not contain the
 * address: in a loop, a later call may be the last one. The PLT may be reached by a jump,
 * but never saves it.
 */
static bool follow_link(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 pc = regs->reg[PROFIL_REG_PC], back = regs->reg[PROFIL_COLUMN_RA], start;

	if (!(regs->known >> PROFIL_COLUMN_RA & 1) || !profil_object_of(walk, back) ||
	    !profil_guess_is_behind_call(walk, back))
		return false;
	start = called(walk, back);
	if (!is_linkage(walk, pc) &&
	    (pc - start > REACH || back - start <= pc - start ||
	     (back > pc && !begins_behind(walk, pc, back)) || has_frame(walk, back)))
		return false;
	regs->reg[PROFIL_REG_PC] = back;
	go_on(walk, regs->known & PROFIL_REGS_SAVED);
	return true;
}

/*
 * The first function of the dynamic linker, or of a libc other than glibc, has argc, argv
 * and a null pointer on top of the stack.
 */
static bool is_process_entry(struct profil_unwind *walk)
{
	u64 sp = walk->regs.reg[PROFIL_REG_SP];
	u64 word[2], last;

	return !profil_unwind_read(walk, sp, word, sizeof(word)) &&
	       word[0] && word[0] <= ARGUMENTS_MAX && word[1] > sp &&
	       !profil_unwind_read(walk, sp + 8 * (word[0] + 1), &last, sizeof(last)) &&
	       !last;
}

/*
 * Code in an object, but without a row. It may have frame pointers; profil_guess_by_fp()
 * checks them. What looks like the entry may be local variables, so that comes last.
 */
void profil_guess_caller(struct profil_unwind *walk)
{
	if (walk->exact && follow_link(walk))
		return;
	profil_guess_by_fp(walk);
	if (walk->end && is_process_entry(walk))
		walk->end = PROFIL_END_OUTERMOST;
}

#endif

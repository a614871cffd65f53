// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that no call frame information describes: callers by the frame pointer or
 * the top of the stack, where a call stands before the return address.
 *
 * Layer: ground.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "unwind_guess.h"
#include "unwind_object.h"

/* The architecture: x86-64. */

#define CALL_BYTES	7

/* Nobody has more: execve() allows 6 MiB of them, and each takes 10 bytes. */
#define ARGUMENTS_MAX	0x100000

/* Bytes of a call (FF /2), by its ModRM and SIB bytes: Intel SDM 2A, 2.1.5. */
static unsigned int indirect_call_bytes(u8 modrm, u8 sib)
{
	unsigned int mod = modrm >> 6;
	unsigned int bytes = 2 + ((modrm & 7) == 4 && mod != 3);

	if (mod == 1)
		return bytes + 1;
	if (mod == 2)
		return bytes + 4;
	if (mod == 0 && ((modrm & 7) == 5 ||
			 ((modrm & 7) == 4 && (sib & 7) == 5)))
		return bytes + 4;

	return bytes;
}

/* Can these bytes end with a call? */
static bool ends_with_call(const u8 code[CALL_BYTES])
{
	unsigned int i;

	if (code[CALL_BYTES - 5] == 0xe8)
		return true;
	for (i = 0; i + 1 < CALL_BYTES; i++)
		if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x10 &&
		    indirect_call_bytes(code[i + 1],
					code[min_t(u32, i + 2, CALL_BYTES - 1)])
		    == CALL_BYTES - i)
			return true;

	return false;
}

/* Is there a call before the instruction at @pc? */
bool profil_unwind_is_behind_call(struct profil_unwind *walk, u64 pc)
{
	u8 code[CALL_BYTES];

	return !profil_unwind_read(walk, pc - sizeof(code), code, sizeof(code)) &&
	       ends_with_call(code);
}

/*
 * The frame of code that was made at run time: psABI, figure 3.3. Registers
 * other than the frame pointer are lost.
 */
void profil_unwind_guess_by_fp(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 fp = regs->reg[PROFIL_REG_FP], sp = regs->reg[PROFIL_REG_SP];
	u64 word[2];

	if (!(regs->known >> PROFIL_REG_FP & 1) || fp % sizeof(word[0]) ||
	    fp < sp || fp - sp > PROFIL_UNWIND_FRAME_BYTES ||
	    profil_unwind_read(walk, fp, word, sizeof(word)) ||
	    !profil_unwind_is_behind_call(walk, word[1])) {
		if (!walk->end)
			walk->end = PROFIL_END_NO_OBJECT;
		return;
	}
	regs->reg[PROFIL_REG_FP] = word[0];
	regs->reg[PROFIL_REG_PC] = word[1];
	regs->reg[PROFIL_REG_SP] = fp + sizeof(word);
	regs->known = BIT_ULL(PROFIL_REG_FP) | BIT_ULL(PROFIL_REG_PC) |
		      BIT_ULL(PROFIL_REG_SP);
	walk->end = PROFIL_END_NONE;
	walk->exact = false;
	walk->guessed = true;
}

/*
 * Functions without call frame information are small, written in assembler, and
 * leave the stack alone: the return address is on top of it.
 */
static void follow_stack_top(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 sp = regs->reg[PROFIL_REG_SP], pc;

	if (profil_unwind_read(walk, sp, &pc, sizeof(pc)) ||
	    !profil_unwind_object(walk, pc) || !profil_unwind_is_behind_call(walk, pc))
		return;
	regs->reg[PROFIL_REG_PC] = pc;
	regs->reg[PROFIL_REG_SP] = sp + sizeof(pc);
	regs->known = (regs->known & PROFIL_REGS_SAVED) |
		      BIT_ULL(PROFIL_REG_PC) | BIT_ULL(PROFIL_REG_SP);
	walk->end = PROFIL_END_NONE;
	walk->exact = false;
	walk->guessed = true;
}

/*
 * Where a process begins, in the dynamic linker, or in a libc other than glibc:
 * on top of the stack are argc, argv and a null pointer (psABI, figure 3.9).
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
 * Code in an object, but without a row. A frame pointer may be anything there,
 * but not where it is the stack pointer: the compiler's own start and end code
 * has such frames, and calls atexit()'s functions and destructors.
 */
void profil_unwind_guess(struct profil_unwind *walk)
{
	const u64 *reg = walk->regs.reg;

	if (is_process_entry(walk))
		walk->end = PROFIL_END_OUTERMOST;
	else if (walk->exact)
		follow_stack_top(walk);
	else if (reg[PROFIL_REG_FP] == reg[PROFIL_REG_SP])
		profil_unwind_guess_by_fp(walk);
}

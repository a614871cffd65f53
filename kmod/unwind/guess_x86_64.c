// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames without call frame information, on x86-64: the return address is found by the
 * frame pointer or at the top of the stack, and must follow a call, or lead from made code
 * to made code.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "unwind/unwind.h"

#ifdef PROFIL_MACHINE_X86_64

#define CALL_BYTES	7

/* Beside known registers: a guess has just found the frame pointer. Rows forget it. */
#define FOUND_FP	BIT_ULL(63)

/* Bytes from a call to a function, at most. */
#define REACH		(2ULL << 30)

/* execve() allows 6 MiB of arguments, and each takes 10 bytes at least. */
#define ARGUMENTS_MAX	0x100000

/* Bytes of a call (FF /2), by its ModRM and SIB bytes: Intel SDM 2A, 2.1.5. */
static unsigned int indirect_call_bytes(u8 modrm, u8 sib)
{
	unsigned int mod = modrm >> 6, rm = modrm & 7;
	bool has_sib = rm == 4 && mod != 3;
	bool has_disp32 = mod == 2 || (!mod && (has_sib ? sib & 7 : rm) == 5);

	return 2 + has_sib + (mod == 1) + 4 * has_disp32;
}

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

/* Is the instruction before @pc a call? */
bool profil_guess_is_behind_call(struct profil_unwind *walk, u64 pc)
{
	u8 code[CALL_BYTES];

	return !profil_unwind_read(walk, pc - sizeof(code), code, sizeof(code)) &&
	       ends_with_call(code);
}

/* The walk continues: PC, SP and the registers in @known are the caller's. */
static void go_on(struct profil_unwind *walk, u64 known)
{
	walk->regs.known = known | BIT(PROFIL_REG_PC) | BIT(PROFIL_REG_SP);
	walk->end = PROFIL_END_NONE;
	walk->exact = false;
	walk->guessed = true;
}

/*
 * Java's interpreter, which is made at run time, pushes the address of the code that goes
 * on, and jumps. Such code lies within the reach of a call, and there is a frame above.
 */
static bool is_made_caller(struct profil_unwind *walk, u64 fp, const u64 word[2])
{
	u64 pc = walk->regs.reg[PROFIL_REG_PC], sp = walk->regs.reg[PROFIL_REG_SP];

	return word[1] - pc + REACH < 2 * REACH &&
	       word[1] - sp >= PROFIL_UNWIND_FRAME_BYTES &&
	       !(word[0] % sizeof(word[0])) && word[0] > fp &&
	       word[0] - fp <= PROFIL_UNWIND_FRAME_BYTES &&
	       !profil_object_of(walk, pc) && !profil_object_of(walk, word[1]);
}

/* Goes on if @pc, at @at on the stack, is the return address of a call in an object. */
static bool follow_word(struct profil_unwind *walk, u64 at, u64 pc)
{
	struct profil_unwind_regs *regs = &walk->regs;

	if (!profil_object_of(walk, pc) || !profil_guess_is_behind_call(walk, pc))
		return false;
	regs->reg[PROFIL_REG_PC] = pc;
	regs->reg[PROFIL_REG_SP] = at + sizeof(pc);
	go_on(walk, regs->known & PROFIL_REGS_SAVED);
	return true;
}

/*
 * "add $n,%rsp; ret" behind a call: the function has no frame pointer, and has changed none.
 * That is what python3 -X perf makes.
 */
static bool follow_epilogue(struct profil_unwind *walk)
{
	u64 at = walk->regs.reg[PROFIL_REG_SP], pc;
	u8 code[5];

	if (profil_unwind_read(walk, walk->regs.reg[PROFIL_REG_PC], code, sizeof(code)) ||
	    code[0] != 0x48 || code[1] != 0x83 || code[2] != 0xc4 || code[3] > 0x78 ||
	    code[3] % sizeof(pc) || code[4] != 0xc3)
		return false;
	at += code[3];
	return !profil_unwind_read(walk, at, &pc, sizeof(pc)) && follow_word(walk, at, pc);
}

/* Go's runtime.goexit, where a goroutine returns to: behind a nop, at a call. */
static bool is_goexit(struct profil_unwind *walk, const u64 word[2])
{
	u8 code[7];

	return !word[0] && !profil_unwind_read(walk, word[1] - 1, code, sizeof(code)) &&
	       code[0] == 0x90 && code[1] == 0xe8 && code[6] == 0x90;
}

/*
 * psABI, 3.4.1: 0 in the frame pointer marks the deepest frame. Code with rows may have any
 * value there.
 */
static bool is_deepest(const struct profil_unwind *walk)
{
	return !walk->regs.reg[PROFIL_REG_FP] && walk->regs.known & FOUND_FP;
}

/*
 * Code without rows. A frame with a frame pointer is as in the psABI, figure 3.3: other
 * registers are lost.
 */
void profil_guess_by_fp(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 fp = regs->reg[PROFIL_REG_FP], sp = regs->reg[PROFIL_REG_SP];
	u64 word[2];

	if (follow_epilogue(walk))
		return;
	if (is_deepest(walk)) {
		walk->end = PROFIL_END_OUTERMOST;
		return;
	}
	if (!(regs->known >> PROFIL_REG_FP & 1) || fp % sizeof(word[0]) ||
	    fp < sp || fp - sp > PROFIL_UNWIND_FRAME_BYTES ||
	    profil_unwind_read(walk, fp, word, sizeof(word)) ||
	    !(profil_guess_is_behind_call(walk, word[1]) || is_goexit(walk, word) ||
	      is_made_caller(walk, fp, word))) {
		if (!walk->end)
			walk->end = PROFIL_END_NO_OBJECT;
		return;
	}
	regs->reg[PROFIL_REG_FP] = word[0];
	regs->reg[PROFIL_REG_PC] = word[1];
	regs->reg[PROFIL_REG_SP] = fp + sizeof(word);
	go_on(walk, BIT(PROFIL_REG_FP) | FOUND_FP);
}

/*
 * The return address is on top of the stack in small functions of assembler, and before a
 * function has set up its frame. There, the caller's frame pointer may be above it.
 */
static bool follow_stack_top(struct profil_unwind *walk)
{
	u64 sp = walk->regs.reg[PROFIL_REG_SP], word[2];

	return !profil_unwind_read(walk, sp, word, sizeof(word)) &&
	       (follow_word(walk, sp, word[0]) ||
		(word[0] == walk->regs.reg[PROFIL_REG_FP] &&
		 follow_word(walk, sp + sizeof(word[0]), word[1])));
}

/* A call that must not return, as the compiler's _start ends: hlt is behind it. */
static bool is_start(struct profil_unwind *walk)
{
	u8 code;

	return !profil_unwind_read(walk, walk->regs.reg[PROFIL_REG_PC], &code, sizeof(code)) &&
	       code == 0xf4;
}

/*
 * The first function of the dynamic linker, or of a libc other than glibc, has argc, argv
 * and a null pointer on top of the stack (psABI, figure 3.9).
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
	if (!walk->exact && is_start(walk)) {
		walk->end = PROFIL_END_OUTERMOST;
		return;
	}
	if (walk->exact && follow_stack_top(walk))
		return;
	profil_guess_by_fp(walk);
	if (walk->end && is_process_entry(walk))
		walk->end = PROFIL_END_OUTERMOST;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames without call frame information, on arm64: the return address is in its register
 * or in the record at the frame pointer, and must follow a call. Also frames of signals:
 * the kernel's code that returns from a handler has no such information.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "unwind/unwind.h"

#ifdef PROFIL_MACHINE_ARM64

/* struct rt_sigframe of the kernel: x0 of its struct sigcontext; then x1 to x30, sp, pc. */
#define SIGNAL_X0	(128 + 176 + 8)

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

static bool is_direct_call(u32 code)
{
	return code >> 26 == 0x25;
}

/* Arm ARM, C6.2: BL, BLR, and BLRAA with its like. */
static bool is_call(u32 code)
{
	return is_direct_call(code) || (code & 0xfffffc1f) == 0xd63f0000 ||
	       (code & 0xfefff800) == 0xd63f0800;
}

/* Is the instruction before @pc a call? */
bool profil_guess_is_behind_call(struct profil_unwind *walk, u64 pc)
{
	u32 code;

	return read_code(walk, pc - 4, &code, 1) && is_call(code);
}

/* The walk continues: PC and the registers in @known are the caller's. */
static void go_on(struct profil_unwind *walk, u64 known)
{
	walk->regs.known = known | BIT(PROFIL_REG_PC);
	walk->end = PROFIL_END_NONE;
	walk->exact = false;
	walk->guessed = true;
}

/*
 * Is PC at "mov x8, #__NR_rt_sigreturn; svc #0", or behind it: in the system call? So
 * handlers of signals return, and GDB and libgcc know it by the same instructions.
 */
static bool is_signal_return(struct profil_unwind *walk)
{
	u64 pc = walk->regs.reg[PROFIL_REG_PC];
	u32 code[2], back;

	for (back = 0; back <= (walk->exact ? 8 : 0); back += 4)
		if (read_code(walk, pc - back, code, 2) && code[0] == 0xd2801168 &&
		    code[1] == 0xd4000001)
			return true;
	return false;
}

/* The interrupted frame: the kernel has saved all registers on the handler's stack. */
static void follow_signal(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 at = regs->reg[PROFIL_REG_SP] + SIGNAL_X0;
	u32 i;

	/* The handler was found by its frame pointer. */
	if (!(regs->known >> PROFIL_REG_SP & 1)) {
		walk->end = PROFIL_END_REGISTER;
		return;
	}
	BUILD_BUG_ON(PROFIL_REG_SP != PROFIL_COLUMN_RA + 1 || PROFIL_REG_PC != PROFIL_REG_SP + 1);
	walk->end = profil_unwind_read(walk, at, &regs->reg[0], 8);
	for (i = 1; i < PROFIL_REGS && !walk->end; i++)
		walk->end = profil_unwind_read(walk, at + 8 * (PROFIL_REG_FIRST + i - 1),
					       &regs->reg[i], 8);
	regs->known = (1ULL << PROFIL_REGS) - 1;
	walk->exact = true;
}

/* Can the frame pointer be that of a frame on this stack? */
static bool is_on_stack(const struct profil_unwind_regs *regs)
{
	u64 fp = regs->reg[PROFIL_REG_FP];

	return regs->known >> PROFIL_REG_FP & 1 && !(fp % 8) &&
	       fp - regs->reg[PROFIL_REG_SP] <= PROFIL_UNWIND_FRAME_BYTES;
}

/* A frame's record: AAPCS64, 6.4.6. It does not say where the caller's stack ends. */
void profil_guess_by_fp(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 fp = regs->reg[PROFIL_REG_FP], word[2];

	if (is_signal_return(walk)) {
		follow_signal(walk);
		return;
	}
	if (!fp && regs->known >> PROFIL_REG_FP & 1) {
		walk->guessed = true;
		walk->end = PROFIL_END_OUTERMOST;
		return;
	}
	if (!is_on_stack(regs) || profil_unwind_read(walk, fp, word, sizeof(word)) ||
	    !profil_guess_is_behind_call(walk, profil_unwind_return(walk, word[1]))) {
		if (!walk->end)
			walk->end = PROFIL_END_NO_OBJECT;
		return;
	}
	regs->reg[PROFIL_REG_FP] = word[0];
	regs->reg[PROFIL_REG_PC] = profil_unwind_return(walk, word[1]);
	regs->reg[PROFIL_REG_SP] = fp + sizeof(word);
	go_on(walk, BIT(PROFIL_REG_FP));
}

/* The jump of a PLT's entry or header: ADRP x16; LDR x17, [x16, #n]; ADD x16, x16, #n; BR x17. */
static bool is_linkage_jump(const u32 *code)
{
	return (code[0] & 0x9f00001f) == 0x90000010 && (code[1] & 0xffc003ff) == 0xf9400211 &&
	       (code[2] & 0xffc003ff) == 0x91000210 && code[3] == 0xd61f0220;
}

/*
 * How many bytes has the PLT pushed, if PC is in it: AArch64's System V ABI, "Procedure
 * Linkage Table"? Its header begins with STP x16, x30, [SP, #-16]!. Negative: PC is not in it.
 */
static s32 linkage_bytes(struct profil_unwind *walk, u64 pc)
{
	u64 at = pc & ~15ULL;
	u32 code[5];

	if (!read_code(walk, at, code, 5))
		return -1;
	if (is_linkage_jump(code))
		return 0;
	/* The header's last instruction. */
	if (pc == at && code[0] == 0xd61f0220) {
		at -= 16;
		if (!read_code(walk, at, code, 5))
			return -1;
	}
	return code[0] == 0xa9bf7bf0 && is_linkage_jump(code + 1) ? (pc != at) * 16 : -1;
}

/* STP with x30, or STR x30, on the stack. */
static bool is_saving(u32 code)
{
	if ((code & 0xff4003e0) == 0xa90003e0)
		return (code & 31) == 30 || (code >> 10 & 31) == 30;
	return (code & 0xffe00fff) == 0xf8000ffe || (code & 0xffc003ff) == 0xf90003fe;
}

/* Does a function begin between @pc and @back that calls before @back? */
static bool begins_behind(struct profil_unwind *walk, u64 pc, u64 back)
{
	u32 code[PROFIL_CFI_WINDOW / sizeof(u32)], i;
	u64 at = back;

	while (at > pc && back - at < SEARCH) {
		at -= sizeof(code);
		if (!read_code(walk, at, code, PROFIL_CFI_WINDOW / sizeof(u32)))
			return false;
		for (i = 0; i < PROFIL_CFI_WINDOW / sizeof(u32); i++)
			if (is_saving(code[i]) && at + i * sizeof(u32) >= pc)
				return true;
	}
	return false;
}

/* Where the call before @back leads to, by BL; @back if nowhere. */
static u64 called(struct profil_unwind *walk, u64 back)
{
	u32 code;

	if (!read_code(walk, back - 4, &code, 1) || !is_direct_call(code))
		return back;
	return back - 4 + (u64)((s64)((u64)code << 38) >> 36);
}

/*
 * Has the function that begins at @start called no other one before @pc, and does not contain
 * @back? In a loop, a later call may be the last one.
 */
static bool is_called(struct profil_unwind *walk, u64 pc, u64 start, u64 back)
{
	return pc - start <= REACH && back - start > pc - start &&
	       (back < pc || begins_behind(walk, pc, back));
}

/* Is @back in the frame's record, so that the stack pointer is not the caller's? */
static bool is_saved(struct profil_unwind *walk, u64 back)
{
	u64 fp = walk->regs.reg[PROFIL_REG_FP], word[2];

	return profil_unwind_read(walk, fp, word, sizeof(word)) ||
	       profil_unwind_return(walk, word[1]) == back;
}

/* Does code go on elsewhere: B, BL; BR, BLR, RET and the like; BRK, UDF? */
static bool is_jump(u32 code)
{
	return (code & 0x7c000000) == 0x14000000 || (code & 0xfe000000) == 0xd6000000 ||
	       (code & 0xffe0001f) == 0xd4200000 || code <= 0xffff;
}

/* RET, RETAA, RETAB. */
static bool is_return(u32 code)
{
	return code == 0xd65f03c0 || (code & ~0x400U) == 0xd65f0bff;
}

/*
 * Does it write the stack pointer: loads and stores with a changed base, of a pair, of one
 * register, of LD1 and its like, of tags; sums, with a constant, a tag or a register; AND?
 */
static bool writes_sp(u32 code)
{
	return (code & 0x3a8003e0) == 0x288003e0 || (code & 0x3b2007e0) == 0x380007e0 ||
	       (code & 0xbe8003e0) == 0x0c8003e0 || (code & 0xff2007e0) == 0xd92007e0 ||
	       (code & 0xbf00001f) == 0x9100001f || (code & 0xbfe0001f) == 0x8b20001f ||
	       (code & 0xff80001f) == 0x9200001f;
}

/* By how many bytes it moves the stack pointer down; negative: up, or nobody knows. */
static s64 moves_down(u32 code)
{
	/* SUB SP, SP, #n */
	if ((code & 0xff8003ff) == 0xd10003ff)
		return (code >> 10 & 0xfff) << (code >> 22 & 1) * 12;
	/* STP of x or d registers, STR of x. */
	if ((code & 0xffc003e0) == 0xa98003e0 || (code & 0xffc003e0) == 0x6d8003e0)
		return -8 * (s64)((s32)(code << 10) >> 25);
	if ((code & 0xffe00fe0) == 0xf8000fe0)
		return -(s64)((s32)(code << 11) >> 23);
	return writes_sp(code) ? -1 : 0;
}

/*
 * Sets SP to the caller's, if that is clear: the code from the function's beginning at @start
 * to PC only moves it down and does not jump, so that all of it has run; or PC is at the return.
 */
static bool find_caller_sp(struct profil_unwind *walk, u64 start)
{
	u64 pc = walk->regs.reg[PROFIL_REG_PC], at;
	u32 code[PROFIL_CFI_WINDOW / sizeof(u32)], i, n;
	s64 moved = 0, more;

	if (read_code(walk, pc, code, 1) && is_return(code[0]))
		return true;
	if (pc - start > SEARCH)
		return false;
	for (at = start; at < pc; at += n * sizeof(u32)) {
		n = min_t(u64, pc - at, sizeof(code)) / sizeof(u32);
		if (!n || !read_code(walk, at, code, n))
			return false;
		for (i = 0; i < n; i++) {
			more = moves_down(code[i]);
			if (more < 0 || is_jump(code[i]))
				return false;
			moved += more;
		}
	}
	walk->regs.reg[PROFIL_REG_SP] += moved;
	return true;
}

/*
 * Has the function not saved its return address yet, and called no other one? In a new
 * thread, clone() has another stack than its caller and the frame pointer. The PLT may be
 * reached by a jump, and keeps the return address in its register.
 */
static bool follow_link(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 pc = regs->reg[PROFIL_REG_PC], start;
	u64 back = profil_unwind_return(walk, regs->reg[PROFIL_COLUMN_RA]);
	s32 pushed = linkage_bytes(walk, pc);

	if (!(regs->known >> PROFIL_COLUMN_RA & 1) || !profil_object_of(walk, back))
		return false;
	start = called(walk, back);
	if (pushed >= 0 ? !profil_guess_is_behind_call(walk, back) :
	    !is_on_stack(regs) || !is_called(walk, pc, start, back) || is_saved(walk, back))
		return false;
	if (pushed >= 0)
		regs->reg[PROFIL_REG_SP] += pushed;
	else if (!find_caller_sp(walk, start))
		regs->known &= ~BIT(PROFIL_REG_SP);
	regs->reg[PROFIL_REG_PC] = back;
	go_on(walk, regs->known & (PROFIL_REGS_SAVED | BIT(PROFIL_REG_SP)));
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
	if (walk->end && walk->end != PROFIL_END_OUTERMOST && is_process_entry(walk))
		walk->end = PROFIL_END_OUTERMOST;
}

#endif

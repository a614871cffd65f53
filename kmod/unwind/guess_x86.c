// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames without call frame information, in x86 code of 64 and 32 bits: the return address
 * is found by the frame pointer or at the top of the stack, and must follow a call, or lead
 * from made code to made code.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "unwind/unwind.h"

#ifdef PROFIL_MACHINE_X86

#define CALL_BYTES	7
#define DIRECT_CALL_BYTES 5

/* What is_root() and is_switch() look at: before a return address, and behind it. */
#define BEFORE		9
#define BEHIND		33

/* Beside known registers: a guess has just found the frame pointer. Rows forget it. */
#define FOUND_FP	BIT_ULL(63)

/* Bytes from a call to a function, at most. */
#define REACH		(2ULL << 30)

/* Bytes from the beginning of a function without a frame, at most. */
#define FRAMELESS	4096

/* execve() allows 6 MiB of arguments, and each takes 10 bytes at least. */
#define ARGUMENTS_MAX	0x100000

/* Words from a thread's pointer to the stack pointer of its goroutine: see follow_switch(). */
#define GO_WORDS	4

/* The kernel's struct ucontext: r8 of its struct sigcontext. */
#define SIGNAL_R8	40

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

static s32 get_s32(const u8 *code)
{
	s32 value;

	memcpy(&value, code, sizeof(value));
	return value;
}

/* Where the direct call before @pc leads; 0: it is none. */
static u64 callee_of(struct profil_unwind *walk, u64 pc)
{
	u8 code[DIRECT_CALL_BYTES];

	if (profil_unwind_read(walk, pc - sizeof(code), code, sizeof(code)) || code[0] != 0xe8)
		return 0;
	return (profil_unwind_word)(pc + (u64)(s64)get_s32(code + 1));
}

/* The walk continues: PC, SP and the registers in @known are the caller's. */
static void go_on(struct profil_unwind *walk, u64 known)
{
	walk->regs.known = known | BIT(PROFIL_REG_PC) | BIT(PROFIL_REG_SP) |
			   (walk->regs.known & PROFIL_KNOWN_THREAD);
	walk->end = PROFIL_END_NONE;
	walk->exact = false;
	walk->guessed = true;
}

/*
 * Java's interpreter, which is made at run time, pushes the address of the code that goes
 * on, and jumps. Such code lies within the reach of a call, and there is a frame above.
 */
static bool is_made_caller(struct profil_unwind *walk, u64 fp, const profil_unwind_word word[2])
{
	u64 pc = walk->regs.reg[PROFIL_REG_PC], sp = walk->regs.reg[PROFIL_REG_SP];

	return word[1] - pc + REACH < 2 * REACH &&
	       word[1] - sp >= PROFIL_UNWIND_FRAME_BYTES &&
	       !(word[0] % sizeof(word[0])) && word[0] > fp &&
	       word[0] - fp <= PROFIL_UNWIND_FRAME_BYTES &&
	       !profil_object_of(walk, pc) && !profil_object_of(walk, word[1]);
}

/* Can the call before @pc be of this function? In its object, it leads to its beginning. */
static bool may_call(struct profil_unwind *walk, u64 pc)
{
	u64 here = walk->regs.reg[PROFIL_REG_PC], callee = callee_of(walk, pc);

	return !callee || here - callee < FRAMELESS ||
	       profil_object_of(walk, callee) != profil_object_of(walk, here);
}

/* Goes on if @pc, at @at on the stack, is the return address of a call in an object. */
static bool follow_word(struct profil_unwind *walk, u64 at, u64 pc)
{
	struct profil_unwind_regs *regs = &walk->regs;

	if (!profil_object_of(walk, pc) || !profil_guess_is_behind_call(walk, pc) ||
	    !may_call(walk, pc))
		return false;
	regs->reg[PROFIL_REG_PC] = pc;
	regs->reg[PROFIL_REG_SP] = at + PROFIL_WORD;
	go_on(walk, regs->known & (PROFIL_REGS_SAVED | FOUND_FP));
	return true;
}

/* What is popped from the stack before a return at once. False: there is something else. */
static bool is_epilogue(const u8 code[5], u64 *bytes)
{
	*bytes = 0;
	/* ret; or xchg, with any register, and ret. */
	if (code[0] == 0xc3 ||
	    ((code[0] & 0xfe) == 0x48 && (code[1] & 0xf8) == 0x90 && code[2] == 0xc3))
		return true;
	/* add $n,%rsp; ret. */
	*bytes = code[3];
	return code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xc4 && code[3] <= 0x78 &&
	       !(code[3] % 8) && code[4] == 0xc3;
}

/*
 * If such an end of the function is behind a call, it has no frame pointer, and has changed
 * none. That is what python3 -X perf makes, and Go's runtime has some: in 64-bit code only.
 */
static bool follow_epilogue(struct profil_unwind *walk)
{
	u64 at = walk->regs.reg[PROFIL_REG_SP], bytes, pc;
	u8 code[5];

	if (PROFIL_WORD != 8 ||
	    profil_unwind_read(walk, walk->regs.reg[PROFIL_REG_PC], code, sizeof(code)) ||
	    !is_epilogue(code, &bytes))
		return false;
	at += bytes;
	return !profil_unwind_read(walk, at, &pc, sizeof(pc)) && follow_word(walk, at, pc);
}

/* Go's runtime.goexit, where a goroutine returns to: behind a nop, at a call. */
static bool is_goexit(struct profil_unwind *walk, const profil_unwind_word word[2])
{
	u8 code[7];

	return !word[0] && !profil_unwind_read(walk, word[1] - 1, code, sizeof(code)) &&
	       code[0] == 0x90 && code[1] == 0xe8 && code[6] == 0x90;
}

/*
 * Is @back what handlers of signals return to: mov $SYS_rt_sigreturn,%rax; syscall? libc has
 * a row for it. Then the interrupted frame's registers are above, at @at: the kernel's
 * struct ucontext with its struct sigcontext.
 */
static bool follow_signal(struct profil_unwind *walk, u64 back, u64 at)
{
	static const u8 order[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16 };
	struct profil_unwind_regs *regs = &walk->regs;
	unsigned int i;
	u8 code[9];

	BUILD_BUG_ON(sizeof(order) != PROFIL_REGS);
	if (PROFIL_WORD != 8 || profil_unwind_read(walk, back, code, sizeof(code)) ||
	    memcmp(code, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", sizeof(code)))
		return false;
	walk->end = PROFIL_END_NONE;
	for (i = 0; i < sizeof(order) && !walk->end; i++)
		walk->end = profil_unwind_read(walk, at + SIGNAL_R8 + 8 * i,
					       &regs->reg[order[i]], 8);
	regs->known = ((1ULL << PROFIL_REGS) - 1) | (regs->known & PROFIL_KNOWN_THREAD);
	walk->exact = true;
	walk->guessed = true;
	return true;
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
	profil_unwind_word word[2];

	if (follow_epilogue(walk))
		return;
	if (is_deepest(walk)) {
		walk->end = PROFIL_END_OUTERMOST;
		return;
	}
	if (!(regs->known >> PROFIL_REG_FP & 1) || fp % sizeof(word[0]) ||
	    fp < sp || fp - sp > PROFIL_UNWIND_FRAME_BYTES ||
	    profil_unwind_read(walk, fp, word, sizeof(word)))
		goto cut;
	if (!profil_guess_is_behind_call(walk, word[1]) && !is_goexit(walk, word) &&
	    !is_made_caller(walk, fp, word)) {
		if (follow_signal(walk, word[1], fp + sizeof(word)))
			return;
		goto cut;
	}
	regs->reg[PROFIL_REG_FP] = word[0];
	regs->reg[PROFIL_REG_PC] = word[1];
	regs->reg[PROFIL_REG_SP] = fp + sizeof(word);
	go_on(walk, BIT(PROFIL_REG_FP) | FOUND_FP);
	return;
cut:
	if (!walk->end)
		walk->end = PROFIL_END_NO_OBJECT;
}

/*
 * The return address is on top of the stack in small functions of assembler, and before a
 * function has set up its frame. There, the caller's frame pointer may be above it.
 */
static bool follow_stack_top(struct profil_unwind *walk)
{
	u64 sp = walk->regs.reg[PROFIL_REG_SP];
	profil_unwind_word word[2];

	return !profil_unwind_read(walk, sp, word, sizeof(word)) &&
	       (follow_word(walk, sp, word[0]) ||
		follow_signal(walk, word[0], sp + sizeof(word[0])) ||
		(word[0] == walk->regs.reg[PROFIL_REG_FP] &&
		 follow_word(walk, sp + sizeof(word[0]), word[1])));
}

/* Does a call never return? Then the frame pointer is not that of a caller. */
static bool is_root(const u8 *behind)
{
	static const struct { signed char from; u8 n; char code[13]; } root[] = {
		/* The compiler's _start: hlt. */
		{ 0, 1, "\xf4" },
		/* Go's runtime.clone: mov $111,%edi; mov $SYS_exit,%eax; syscall. */
		{ 0, 12, "\xbf\x6f\0\0\0\xb8\x3c\0\0\0\x0f\x05" },
		/* Its runtime.mcall leaves the goroutine: call *%r12; pop %rax; jmp. */
		{ -3, 5, "\x41\xff\xd4\x58\xe9" },
		/* So does its runtime.morestack: mov 0x38(%rbx),%rsp; call. */
		{ -9, 5, "\x48\x8b\x63\x38\xe8" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(root) / sizeof(*root); i++)
		if (!memcmp(behind + root[i].from, root[i].code, root[i].n))
			return true;
	return false;
}

/*
 * Go's runtime.systemstack goes back to its caller's stack: mov %fs:a,%rax, or
 * mov $a,%rcx; mov %fs:(%rcx),%rax. Then mov b(%rax),%rbx; mov c(%rbx),%rax;
 * mov %rax,%fs:a or %fs:(%rcx); mov d(%rax),%rsp.
 */
static bool is_switch(const u8 *behind, s32 offset[GO_WORDS])
{
	bool far = !memcmp(behind, "\x64\x48\x8b\x04\x25", 5);
	const u8 *next = behind + (far ? 9 : 11), *last = next + (far ? 20 : 15);

	if ((!far && (memcmp(behind, "\x48\xc7\xc1", 3) ||
		      memcmp(behind + 7, "\x64\x48\x8b\x01", 4))) ||
	    memcmp(next, "\x48\x8b\x58", 3) || memcmp(next + 4, "\x48\x8b\x83", 3) ||
	    memcmp(last, "\x48\x8b\x60", 3))
		return false;
	offset[0] = get_s32(behind + (far ? 5 : 3));
	offset[1] = next[3];
	offset[2] = get_s32(next + 7);
	offset[3] = last[3];
	return true;
}

/*
 * Go's runtime.systemstack has called on another stack than its caller's. The pointer of
 * that one is where it will take it from: g at %fs, its m, the goroutine that m runs. There
 * is its return address, in later versions above a frame pointer. If C has called back, an
 * outer systemstack had another pointer there: the walk follows the first one only.
 */
static bool follow_switch(struct profil_unwind *walk, const u8 *behind)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 fp = regs->reg[PROFIL_REG_FP], at = walk->thread, word[2];
	s32 offset[GO_WORDS];
	bool has_record;
	unsigned int i;

	if (PROFIL_WORD != 8 || !is_switch(behind, offset))
		return false;
	if (!(regs->known & PROFIL_KNOWN_THREAD) || !(regs->known >> PROFIL_REG_FP & 1))
		return true;
	for (i = 0; i < GO_WORDS; i++)
		if (profil_unwind_read(walk, at + (u64)(s64)offset[i], &at, sizeof(at)))
			return true;
	has_record = at == fp;
	if (fp - at > PROFIL_UNWIND_FRAME_BYTES ||
	    profil_unwind_read(walk, at, word, sizeof(word)) ||
	    regs->reg[PROFIL_REG_PC] - callee_of(walk, word[has_record]) > U8_MAX)
		return true;
	regs->known &= ~PROFIL_KNOWN_THREAD;
	regs->reg[PROFIL_REG_PC] = word[has_record];
	regs->reg[PROFIL_REG_SP] = at + sizeof(at) * (1 + has_record);
	if (has_record)
		regs->reg[PROFIL_REG_FP] = word[0];
	go_on(walk, BIT(PROFIL_REG_FP) | FOUND_FP);
	return true;
}

/*
 * The first function of the dynamic linker, or of a libc other than glibc, has argc, argv
 * and a null pointer on top of the stack (psABI, figure 3.9).
 */
static bool has_arguments(struct profil_unwind *walk, u64 at)
{
	profil_unwind_word word[2], last;

	if (profil_unwind_read(walk, at, word, sizeof(word)) ||
	    !word[0] || word[0] > ARGUMENTS_MAX || word[1] <= at)
		return false;
	at += PROFIL_WORD * (word[0] + 1ULL);
	return !profil_unwind_read(walk, at, &last, sizeof(last)) && !last;
}

/* On i386, it calls with 16 bytes below that, and constructors with its address above 16 bytes. */
static bool is_process_entry(struct profil_unwind *walk)
{
	u64 sp = walk->regs.reg[PROFIL_REG_SP];
	profil_unwind_word at;

	if (has_arguments(walk, sp))
		return true;
	if (PROFIL_WORD == 8)
		return false;
	return has_arguments(walk, sp + 16) ||
	       (!profil_unwind_read(walk, sp + 16, &at, sizeof(at)) && has_arguments(walk, at));
}

/*
 * Code in an object, but without a row. It may have frame pointers; profil_guess_by_fp()
 * checks them. What looks like the entry may be local variables, so that comes last.
 */
void profil_guess_caller(struct profil_unwind *walk)
{
	u8 code[BEFORE + BEHIND];

	if (!profil_unwind_read(walk, walk->regs.reg[PROFIL_REG_PC] - BEFORE, code,
				sizeof(code))) {
		if (!walk->exact && is_root(code + BEFORE)) {
			walk->end = PROFIL_END_OUTERMOST;
			return;
		}
		if (follow_switch(walk, code + BEFORE))
			return;
	}
	if (walk->exact && follow_stack_top(walk))
		return;
	profil_guess_by_fp(walk);
	if (walk->end && is_process_entry(walk))
		walk->end = PROFIL_END_OUTERMOST;
}

#endif

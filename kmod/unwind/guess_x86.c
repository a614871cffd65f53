// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames without call frame information, in x86 code of 64 and 32 bits: the return address
 * is found by the frame pointer or at the top of the stack, and must follow a call, or lead
 * from made code to made code.
 *
 * What profil_guess_caller() tries in turn is noinline, so that its variables do not take
 * stack at the same time.
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

/* Bytes of code that are looked at, from PC and before it. */
#define CODE_BYTES	33
#define BEFORE		9

/* Bytes that are read ahead are in the same page. */
#define PAGE_BYTES	4096U

/* Beside known registers: a guess has just found the frame pointer. Rows forget it. */
#define FOUND_FP	BIT_ULL(63)

/* Bytes from a call to a function, at most. */
#define REACH		(2ULL << 30)

/* Bytes from a function's beginning to its PC, or to a call in it, at most. */
#define FUNCTION_BYTES	4096U

/* More than a frame of Go's runtime.cgocall has. */
#define GO_FRAME	128U

/* Bytes from the end of a frame to the return, at most. */
#define LEAVES		8

/* Bytes of code that end one: see is_epilogue(). */
#define EPILOGUE	9

#define REG_EBX		3

/* Bytes of a function in which jumps to another one are looked for; of a slot of the PLT. */
#define JUMPS		256U
#define SLOT		16U

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

static s32 get_s32(const u8 *code)
{
	s32 value;

	memcpy(&value, code, sizeof(value));
	return value;
}

static bool ends_with_call(const u8 code[CALL_BYTES])
{
	unsigned int i;

	/* A call of the next instruction finds where it is, and does not return. */
	if (code[CALL_BYTES - 5] == 0xe8 && get_s32(code + CALL_BYTES - 4))
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

/* Room for code: the window of call frame information, as stack is short. */
static u8 *code_window(struct profil_unwind *walk)
{
	walk->window_bytes = 0;
	return walk->window;
}

/* The code at @pc, as far as it is in the same page. */
static void read_code(struct profil_unwind *walk, u64 pc, u8 *code, u32 n)
{
	memset(code, 0, n);
	profil_unwind_read(walk, pc, code, min_t(u32, n, PAGE_BYTES - pc % PAGE_BYTES));
}

/*
 * Is the code at @pc as in @as, where ? is any byte? @code is from read_code(), and gets the
 * bytes in the next page if all before them are right.
 */
static bool is_code(struct profil_unwind *walk, u64 pc, u8 *code, const char *as, u32 n)
{
	u32 i, here = PAGE_BYTES - pc % PAGE_BYTES;

	for (i = 0; i < n; i++) {
		if (i == here && profil_unwind_read(walk, pc + i, code + i, n - i))
			return false;
		if (as[i] != '?' && code[i] != (u8)as[i])
			return false;
	}
	return true;
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

/*
 * Is FF @modrm a jump in the PLT: jmp *n(%rip); in 32-bit code jmp *n, or jmp *n(%ebx)? The
 * frame has %ebx of its caller, if it is known.
 */
static bool is_plt_jump(const struct profil_unwind *walk, u8 modrm)
{
	return modrm == 0x25 ||
	       (PROFIL_WORD == 4 && modrm == 0xa3 && walk->regs.known >> REG_EBX & 1);
}

/* Where the instruction at @pc jumps to: jmp, or as in the PLT; 0: it does not. */
static u64 jump_of(struct profil_unwind *walk, u64 pc)
{
	profil_unwind_word to;
	u8 code[6];
	u64 at;

	read_code(walk, pc, code, sizeof(code));
	if (is_code(walk, pc, code, "\xeb?", 2))
		return (profil_unwind_word)(pc + 2 + (u64)(s64)(s8)code[1]);
	if (is_code(walk, pc, code, "\xe9????", 5))
		return (profil_unwind_word)(pc + 5 + (u64)(s64)get_s32(code + 1));
	if (!is_code(walk, pc, code, "\xff?????", 6) || !is_plt_jump(walk, code[1]))
		return 0;
	at = code[1] != 0x25 ? walk->regs.reg[REG_EBX] : PROFIL_WORD == 8 ? pc + 6 : 0;
	at += (u64)(s64)get_s32(code + 2);
	return profil_unwind_read(walk, (profil_unwind_word)at, &to, sizeof(to)) ? 0 : to;
}

/* Where the code at @pc jumps to at once, as a slot of the PLT; also behind endbr, and bnd. */
static u64 slot_of(struct profil_unwind *walk, u64 pc)
{
	u8 code[5];

	read_code(walk, pc, code, sizeof(code));
	if (is_code(walk, pc, code, "\xf3\x0f\x1e", 3))
		pc += code[4] == 0xf2 ? 5 : 4;
	else
		pc += code[0] == 0xf2;
	return jump_of(walk, pc);
}

/* Where a call leads: to another function; perhaps to this one, as a pointer is followed. */
#define TO_ANOTHER	U64_MAX
#define TO_ANY		(U64_MAX - 1)

/*
 * Bytes to @pc from where the call before @back leads, or one of the above. It may lead to a
 * jump: in the PLT, or at the end of a function. Each byte is taken for the beginning of an
 * instruction.
 */
static u64 distance(struct profil_unwind *walk, u64 back, u64 pc)
{
	u64 callee = callee_of(walk, back), at, to, bytes = JUMPS, end = TO_ANOTHER;
	u8 *code = code_window(walk), last = 0;

	if (!callee)
		return TO_ANY;
	to = slot_of(walk, callee);
	if (pc - to < FUNCTION_BYTES)
		return pc - to;
	if (pc - callee < FUNCTION_BYTES)
		return pc - callee;
	/* Behind a slot are others. This one goes on in itself until it has found a function. */
	if (to - callee < SLOT)
		bytes = SLOT;
	else if (to)
		callee = to;
	for (at = callee; at < callee + bytes; at++) {
		u32 in = at % PROFIL_CFI_WINDOW;

		/* Nothing is there: it is no direct call, but only looks like one. */
		if ((at == callee || !in) &&
		    profil_unwind_read(walk, at, code + in, PROFIL_CFI_WINDOW - in))
			return at == callee ? TO_ANY : end;
		/* jmp by a register or memory, but for those that jump_of() knows. */
		if (last == 0xff && (code[in] & 0x38) == 0x20 && !is_plt_jump(walk, code[in]))
			end = TO_ANY;
		last = code[in];
		if (last != 0xe9 && last != 0xeb && last != 0xff)
			continue;
		to = jump_of(walk, at);
		if (pc - to < FUNCTION_BYTES)
			return pc - to;
	}
	return end;
}

/*
 * Is a frame made in the @bytes before @pc: mov %rsp,%rbp, in either encoding, or Go's
 * lea n(%rsp),%rbp? And not ended just before: leave, or pop %rbp.
 */
static bool makes_frame(struct profil_unwind *walk, u64 pc, u64 bytes)
{
	u8 *code = code_window(walk);
	u64 at, left = 0;
	bool made = false;
	u32 last = 0;

	for (at = pc - bytes; at < pc; at++) {
		u32 in = at % PROFIL_CFI_WINDOW;

		if ((at == pc - bytes || !in) &&
		    profil_unwind_read(walk, at, code + in, PROFIL_CFI_WINDOW - in))
			return true;
		last = last << 8 | code[in];
		if (PROFIL_WORD == 4 ? (u16)last == 0x89e5 || (u16)last == 0x8bec :
		    (last & 0xffffff) == 0x4889e5 || (last & 0xffffff) == 0x488bec ||
		    last == 0x488d6c24 || last == 0x488dac24)
			made = true;
		/* Not mov n(%rbp),%rbx, or pop %r13. */
		if ((u8)last == 0xc9 ||
		    ((u8)last == 0x5d && (u16)last != 0x8b5d && (u16)last != 0x415d))
			left = at;
		else if ((u8)last == 0xc3)
			left = 0;
	}
	return made && (!left || pc - left > LEAVES);
}

/* Can the frame pointer be one? Other code may have any value there. */
static bool has_fp(const struct profil_unwind *walk)
{
	const struct profil_unwind_regs *regs = &walk->regs;
	u64 fp = regs->reg[PROFIL_REG_FP], sp = regs->reg[PROFIL_REG_SP];

	return regs->known >> PROFIL_REG_FP & 1 && !(fp % PROFIL_WORD) && fp >= sp &&
	       fp - sp <= PROFIL_UNWIND_FRAME_BYTES;
}

/*
 * Can the call before @pc be of this function? Yes if it leads here. Otherwise the frame
 * pointer tells: above it is the return address of the call to this function, which has set
 * up its frame, or of that to the caller. If neither is clear, an indirect call can be.
 */
static bool may_call(struct profil_unwind *walk, u64 pc)
{
	u64 here = walk->regs.reg[PROFIL_REG_PC], fp = walk->regs.reg[PROFIL_REG_FP];
	u64 callers, own, call = distance(walk, pc, here);
	profil_unwind_word back;

	if (!has_fp(walk) || profil_unwind_read(walk, fp + PROFIL_WORD, &back, sizeof(back)))
		return call != TO_ANOTHER;
	own = distance(walk, back, here);
	/* If the function has a frame, the word is left over: the return address is above that. */
	if (call < TO_ANY)
		return call <= own && !makes_frame(walk, here, call);
	/* A copy, as in the frame of Go's entersyscall. */
	if (back == pc)
		return false;
	callers = distance(walk, back, pc);
	return callers == own ? call == TO_ANY : callers < own;
}

/*
 * Goes on if @pc, at @at on the stack, is the return address of a call in an object.
 * @is_sure: if it is one, it is this function's. Without steps, may_call() has not seen all.
 */
static bool follow_word(struct profil_unwind *walk, u64 at, u64 pc, bool is_sure)
{
	struct profil_unwind_regs *regs = &walk->regs;

	if (!profil_object_of(walk, pc) || !profil_guess_is_behind_call(walk, pc) ||
	    !(is_sure || (may_call(walk, pc) && walk->steps)))
		return false;
	regs->reg[PROFIL_REG_PC] = pc;
	regs->reg[PROFIL_REG_SP] = at + PROFIL_WORD;
	go_on(walk, regs->known & (PROFIL_REGS_SAVED | FOUND_FP));
	return true;
}

/* ret, or ret $n; rep or bnd ret. */
static bool is_return(const u8 *code)
{
	return (code[0] & 0xfe) == 0xc2 || ((code[0] & 0xfe) == 0xf2 && code[1] == 0xc3);
}

/* What is popped from the stack before a return at once. False: there is something else. */
static bool is_epilogue(const u8 code[EPILOGUE], u64 *bytes)
{
	const u8 *op = code + (PROFIL_WORD == 8);
	bool far = op[0] == 0x81;

	*bytes = 0;
	/* ret; or xchg of %rax, with any register but %rsp, and ret. */
	if (is_return(code) ||
	    (PROFIL_WORD == 8 && (code[0] & 0xfe) == 0x48 && (code[1] & 0xf8) == 0x90 &&
	     code[2] == 0xc3 && (code[0] != 0x48 || code[1] != 0x94)))
		return true;
	/* add $n,%rsp; ret. For 128, compilers subtract -128. */
	*bytes = far ? (u64)(s64)get_s32(op + 2) : (u64)(s64)(s8)op[2];
	if (op[1] == 0xec)
		*bytes = -*bytes;
	return (PROFIL_WORD == 4 || code[0] == 0x48) && (far || op[0] == 0x83) &&
	       (op[1] == 0xc4 || op[1] == 0xec) &&
	       *bytes < PROFIL_UNWIND_FRAME_BYTES && !(*bytes % PROFIL_WORD) &&
	       is_return(op + (far ? 6 : 3));
}

/*
 * If such an end of the function is behind a call, it has no frame pointer, and has changed
 * none. That is what python3 -X perf makes, and Go's runtime has some.
 */
static bool follow_epilogue(struct profil_unwind *walk)
{
	u64 at = walk->regs.reg[PROFIL_REG_SP], bytes;
	profil_unwind_word pc;
	u8 code[EPILOGUE];

	read_code(walk, walk->regs.reg[PROFIL_REG_PC], code, sizeof(code));
	if (!is_epilogue(code, &bytes))
		return false;
	at += bytes;
	return !profil_unwind_read(walk, at, &pc, sizeof(pc)) && follow_word(walk, at, pc, true);
}

#define MOV_FP	"\x48\x89"
#define LEA_FP	"\x48\x8d"

/*
 * Is PC where Go before 1.21 makes a frame: mov %rbp,n(%rsp); lea n(%rsp),%rbp? The return
 * address is above, and the frame pointer still the caller's.
 */
static noinline bool follow_prologue(struct profil_unwind *walk)
{
	static const struct { u8 back, n; char code[17]; } prologue[] = {
		{ 0, 10, MOV_FP "\x6c\x24?" LEA_FP "\x6c\x24?" },
		{ 5, 10, MOV_FP "\x6c\x24?" LEA_FP "\x6c\x24?" },
		{ 0, 16, MOV_FP "\xac\x24????" LEA_FP "\xac\x24????" },
		{ 8, 16, MOV_FP "\xac\x24????" LEA_FP "\xac\x24????" },
	};
	u64 at, word;
	u8 code[16];
	u32 i;

	if (PROFIL_WORD != 8)
		return false;
	for (i = 0; i < sizeof(prologue) / sizeof(*prologue); i++) {
		at = walk->regs.reg[PROFIL_REG_PC] - prologue[i].back;
		read_code(walk, at, code, sizeof(code));
		if (!is_code(walk, at, code, prologue[i].code, prologue[i].n))
			continue;
		at = (u64)(s64)(prologue[i].n == 10 ? (s8)code[4] : get_s32(code + 4));
		at += walk->regs.reg[PROFIL_REG_SP] + 8;
		return !profil_unwind_read(walk, at, &word, sizeof(word)) &&
		       follow_word(walk, at, word, true);
	}
	return false;
}

/* Go's runtime.goexit, where a goroutine returns to: behind a nop, at a call. */
static bool is_goexit(struct profil_unwind *walk, const profil_unwind_word word[2])
{
	u8 code[7];

	read_code(walk, word[1] - 1, code, sizeof(code));
	return !word[0] &&
	       is_code(walk, word[1] - 1, code, "\x90\xe8????\x90", sizeof(code));
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
	if (PROFIL_WORD != 8)
		return false;
	read_code(walk, back, code, sizeof(code));
	if (!is_code(walk, back, code, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", sizeof(code)))
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

/* Has the handler returned already: before its system call, or in it? */
static noinline bool follow_restorer(struct profil_unwind *walk)
{
	u64 pc = walk->regs.reg[PROFIL_REG_PC], sp = walk->regs.reg[PROFIL_REG_SP];

	return follow_signal(walk, pc, sp) || follow_signal(walk, pc - 7, sp) ||
	       follow_signal(walk, pc - 9, sp);
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
	u64 fp = regs->reg[PROFIL_REG_FP];
	profil_unwind_word word[2];

	if (follow_epilogue(walk))
		return;
	if (is_deepest(walk)) {
		walk->end = PROFIL_END_OUTERMOST;
		return;
	}
	if (!has_fp(walk) || profil_unwind_read(walk, fp, word, sizeof(word)))
		goto cut;
	/* In later versions, Go's crosscall2 has two records: one leads right above itself. */
	if (PROFIL_WORD == 8 && word[0] == fp + 8) {
		fp += 8;
		if (profil_unwind_read(walk, fp, word, sizeof(word)))
			goto cut;
	}
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
	       (follow_word(walk, sp, word[0], false) ||
		follow_signal(walk, word[0], sp + sizeof(word[0])) ||
		(word[0] == walk->regs.reg[PROFIL_REG_FP] &&
		 follow_word(walk, sp + sizeof(word[0]), word[1], false)));
}

/* Does a call never return? Then the frame pointer is not that of a caller. */
static noinline bool is_root(struct profil_unwind *walk, u8 *code)
{
	u64 pc = walk->regs.reg[PROFIL_REG_PC];
	u8 before[BEFORE];

	/*
	 * The compiler's _start: hlt. Go's runtime.clone: mov $111,%edi; mov $SYS_exit,%eax;
	 * syscall.
	 */
	if (code[0] == 0xf4 ||
	    is_code(walk, pc, code, "\xbf\x6f\0\0\0\xb8\x3c\0\0\0\x0f\x05", 12))
		return true;
	/*
	 * Go's runtime.mcall leaves the goroutine: call *%r12; pop %rax; jmp, in later versions
	 * with a nop. So does its runtime.morestack: mov 0x38(%rbx),%rsp; call.
	 */
	return !profil_unwind_read(walk, pc - BEFORE, before, BEFORE) &&
	       (!memcmp(before, "\x48\x8b\x63\x38\xe8", 5) ||
		(!memcmp(before + BEFORE - 3, "\x41\xff\xd4", 3) &&
		 (is_code(walk, pc, code, "\x58\xe9", 2) ||
		  is_code(walk, pc, code, "\x90\x58\xe9", 3))));
}

/* mov b(%rax),%rbx; mov c(%rbx),%rax */
#define GO_CURG		"\x48\x8b\x58?\x48\x8b\x83????"
/* mov d(%rax),%rsp */
#define GO_SP		"\x48\x8b\x60?"

/* mov %fs:(%rcx),%rax; GO_CURG; mov %rax,%fs:(%rcx); GO_SP */
#define GO_NEAR		"\x64\x48\x8b\x01" GO_CURG "\x64\x48\x89\x01" GO_SP

/*
 * Go's runtime.systemstack goes back to its caller's stack: mov %fs:a,%rax, and GO_CURG;
 * mov %rax,%fs:a; GO_SP. Or mov $a,%rcx, in libraries mov n(%rip),%rcx, and GO_NEAR.
 */
static bool is_switch(struct profil_unwind *walk, u8 *code, s32 offset[GO_WORDS])
{
	u64 pc = walk->regs.reg[PROFIL_REG_PC];
	bool far = is_code(walk, pc, code, "\x64\x48\x8b\x04\x25????" GO_CURG
					   "\x64\x48\x89\x04\x25????" GO_SP, 33);
	bool is_library = !far && is_code(walk, pc, code, "\x48\x8b\x0d????" GO_NEAR, 30);
	const u8 *next = code + (far ? 9 : 11);

	if (!far && !is_library && !is_code(walk, pc, code, "\x48\xc7\xc1????" GO_NEAR, 30))
		return false;
	offset[0] = get_s32(code + (far ? 5 : 3));
	/* Without the offset, the base is of no use. */
	if (is_library && profil_unwind_read(walk, pc + 7 + (u64)(s64)offset[0], offset,
					     sizeof(*offset)))
		walk->regs.known &= ~PROFIL_KNOWN_THREAD;
	offset[1] = (s8)next[3];
	offset[2] = get_s32(next + 7);
	offset[3] = (s8)code[far ? 32 : 29];
	return true;
}

/*
 * Go's runtime.systemstack has called on another stack than its caller's. The pointer of
 * that one is where it will take it from: g at %fs, its m, the goroutine that m runs. There
 * is its return address, in later versions above a frame pointer. If C has called back, an
 * outer systemstack had another pointer there: the walk follows the first one only.
 */
static noinline bool follow_switch(struct profil_unwind *walk, u8 *code)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 fp = regs->reg[PROFIL_REG_FP], at = walk->thread, word[2];
	s32 offset[GO_WORDS];
	bool has_record;
	unsigned int i;

	if (PROFIL_WORD != 8 || !is_switch(walk, code, offset))
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

/* mov g(%rsp),%rdi; mov hi(%rdi),%rsi; sub n(%rsp),%rsi, where n may be 0 */
#define GO_BACK		"\x48\x8b\x7c\x24?\x48\x8b\x77?\x48\x2b"
#define FROM_RSP	"\x74\x24?"
#define FROM_RSP_0	"\x34\x24"
#define OTHER_MOV	"\x48??????"

/*
 * Go's runtime.asmcgocall goes back to its caller's stack: GO_BACK, behind mov a,%rcx in some
 * programs; or mov n(%rsp),%rsi; mov %rsi,%rsp if it was on this stack. Sets @sp, and
 * @is_other: its caller has another stack.
 */
static bool is_c_call(struct profil_unwind *walk, u8 *code, u64 *sp, bool *is_other)
{
	/* @n: bytes up to the end of n, or 0 if n is 0. @first: bytes of mov a,%rcx. */
	static const struct { u8 bytes, n, first; char code[22]; } back[] = {
		{ 8, 5, 0, "\x48\x8b" FROM_RSP "\x48\x89\xf4" },
		{ 7, 0, 0, "\x48\x8b" FROM_RSP_0 "\x48\x89\xf4" },
		{ 14, 14, 0, GO_BACK FROM_RSP }, { 13, 0, 0, GO_BACK FROM_RSP_0 },
		{ 21, 21, 7, OTHER_MOV GO_BACK FROM_RSP },
		{ 20, 0, 7, OTHER_MOV GO_BACK FROM_RSP_0 },
	};
	u64 pc = walk->regs.reg[PROFIL_REG_PC], at = walk->regs.reg[PROFIL_REG_SP], less;
	u32 i = 0, n;

	while (!is_code(walk, pc, code, back[i].code, back[i].bytes))
		if (++i == sizeof(back) / sizeof(*back))
			return false;
	n = back[i].n;
	code += back[i].first;
	*is_other = i > 1;
	*sp = 0;
	if (profil_unwind_read(walk, at + (n ? (u64)(s64)(s8)code[n - back[i].first - 1] : 0),
			       &less, sizeof(less)))
		return true;
	if (!*is_other)
		*sp = less;
	else if (!profil_unwind_read(walk, at + (u64)(s64)(s8)code[4], sp, sizeof(*sp)) &&
		 !profil_unwind_read(walk, *sp + (u64)(s64)(s8)code[8], sp, sizeof(*sp)))
		*sp -= less;
	return true;
}

/*
 * The frame pointer that C has of asmcgocall's caller is out of date if C has called back since,
 * and Go has moved its stack. The caller's frame is small: the record is in it, or nowhere.
 */
static void find_record(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 sp = regs->reg[PROFIL_REG_SP], at, word[2];

	if (regs->known >> PROFIL_REG_FP & 1 && regs->reg[PROFIL_REG_FP] - sp < GO_FRAME)
		return;
	regs->known &= ~(BIT(PROFIL_REG_FP) | FOUND_FP);
	for (at = sp; at < sp + GO_FRAME; at += sizeof(at)) {
		if (profil_unwind_read(walk, at, word, sizeof(word)))
			return;
		/* An argument and a word left over look like one, but for the call. */
		if (word[0] > at && word[0] - at <= PROFIL_UNWIND_FRAME_BYTES &&
		    !(word[0] % PROFIL_WORD) &&
		    distance(walk, word[1], regs->reg[PROFIL_REG_PC]) < FUNCTION_BYTES) {
			regs->reg[PROFIL_REG_FP] = at;
			regs->known |= BIT(PROFIL_REG_FP);
			return;
		}
	}
}

/*
 * C code was called on another stack, and its frame pointer is that of asmcgocall's caller, or
 * in later versions asmcgocall's. Or C has called back: then Go's runtime.cgocallback has called
 * on its goroutine's stack, and its frame pointer leads to its own frame: lea n(%rsp),%rax;
 * sub %rsp,%rax.
 */
static noinline bool follow_c_call(struct profil_unwind *walk, u8 *code)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 sp, pc = regs->reg[PROFIL_REG_PC], word[2];
	bool has_record = is_code(walk, pc, code, "\x48\x8d\x44\x24?\x48\x29\xe0", 8);
	bool is_other = false;

	if (has_record)
		sp = regs->reg[PROFIL_REG_FP];
	else if (!is_c_call(walk, code, &sp, &is_other))
		return false;
	if ((has_record && !(regs->known >> PROFIL_REG_FP & 1)) ||
	    profil_unwind_read(walk, sp, word, sizeof(word)))
		return true;
	has_record |= pc - callee_of(walk, word[0]) > FUNCTION_BYTES;
	if (has_record && pc - callee_of(walk, word[1]) > FUNCTION_BYTES)
		return true;
	regs->reg[PROFIL_REG_PC] = word[has_record];
	regs->reg[PROFIL_REG_SP] = sp + sizeof(sp) * (1 + has_record);
	if (has_record) {
		regs->reg[PROFIL_REG_FP] = word[0];
		regs->known |= BIT(PROFIL_REG_FP);
	}
	go_on(walk, regs->known & (PROFIL_REGS_SAVED | FOUND_FP));
	if (is_other && !has_record)
		find_record(walk);
	return true;
}

/*
 * Go's crosscall1, where threads that C has made enter Go, pops C's registers and returns. C may
 * have any value in the frame pointer.
 */
static noinline bool follow_pops(struct profil_unwind *walk, u8 *code)
{
	static const u8 order[] = { 15, 14, 13, 12, PROFIL_REG_FP, 3 };
	struct profil_unwind_regs *regs = &walk->regs;
	u64 at = regs->reg[PROFIL_REG_SP], word[sizeof(order) + 1];
	u32 i;

	if (!is_code(walk, regs->reg[PROFIL_REG_PC], code,
		     "\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3", 11) ||
	    profil_unwind_read(walk, at, word, sizeof(word)) ||
	    !follow_word(walk, at + sizeof(order) * 8, word[sizeof(order)], true))
		return false;
	for (i = 0; i < sizeof(order); i++)
		regs->reg[order[i]] = word[i];
	regs->known = (regs->known & ~FOUND_FP) | PROFIL_REGS_SAVED;
	return true;
}

/*
 * The first function of the dynamic linker, or of a libc other than glibc, has argc, argv
 * and a null pointer on top of the stack (psABI, figure 3.9).
 */
static bool has_arguments(struct profil_unwind *walk, u64 at)
{
	profil_unwind_word word[2], last[2];
	u64 end;

	if (profil_unwind_read(walk, at, word, sizeof(word)) ||
	    !word[0] || word[0] > ARGUMENTS_MAX)
		return false;
	end = at + PROFIL_WORD * (word[0] + 1ULL);
	/* The texts are above all pointers to them. The first variable's may be missing. */
	return !profil_unwind_read(walk, end, last, sizeof(last)) && !last[0] &&
	       word[1] > end + PROFIL_WORD && (!last[1] || last[1] > end + PROFIL_WORD);
}

/*
 * On i386, argc is 16 bytes above the stack pointer at the first call of that function. At
 * its call of constructors, the address of argc is there.
 */
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
	u8 *code = code_window(walk);

	BUILD_BUG_ON(sizeof(walk->window) < CODE_BYTES);
	read_code(walk, walk->regs.reg[PROFIL_REG_PC], code, CODE_BYTES);
	if (!walk->exact && is_root(walk, code)) {
		walk->end = PROFIL_END_OUTERMOST;
		return;
	}
	if (follow_switch(walk, code) ||
	    (PROFIL_WORD == 8 && !walk->exact &&
	     (follow_c_call(walk, code) || follow_pops(walk, code))))
		return;
	if (walk->exact && (follow_restorer(walk) || follow_prologue(walk) ||
			    follow_epilogue(walk) || follow_stack_top(walk)))
		return;
	profil_guess_by_fp(walk);
	if (walk->end && is_process_entry(walk))
		walk->end = PROFIL_END_OUTERMOST;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the tests' programs of a few instructions are on each machine, where
 * they can be, and how a signal handler takes a thread out of one.
 */
#ifndef CONFORMANCE_INSTRUCTIONS_H
#define CONFORMANCE_INSTRUCTIONS_H

#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

/*
 * PC_STEP: instructions begin at multiples of it.
 * jump_to_itself: one instruction.
 * read_for_ever: called as a function, makes the system call read() with its
 *	arguments again and again. AFTER_CALL is where that returns to.
 * A thread in one of them may go on with any function's return instead: its pc is
 * CONTEXT_PC of the ucontext_t that a signal handler has.
 */
#if defined(__x86_64__)

#define PC_STEP		1
#define AFTER_CALL	4
#define CONTEXT_PC(context)	((context)->uc_mcontext.gregs[REG_RIP])

static const uint8_t jump_to_itself[] = { 0xeb, 0xfe };

static const uint8_t read_for_ever[] = {
	0x31, 0xc0,		/* xor %eax, %eax: SYS_read */
	0x0f, 0x05,		/* syscall */
	0xeb, 0xfa,		/* jmp to the first */
};

#elif defined(__aarch64__)

#define PC_STEP		4
#define AFTER_CALL	16
#define CONTEXT_PC(context)	((context)->uc_mcontext.pc)

static const uint32_t jump_to_itself[] = { 0x14000000 };

static const uint32_t read_for_ever[] = {
	0xaa0003e9,		/* mov x9, x0 */
	0xd2800008 | (SYS_read << 5), /* mov x8, #SYS_read */
	0xaa0903e0,		/* mov x0, x9 */
	0xd4000001,		/* svc #0 */
	0x17fffffe,		/* b to the third */
};

#elif defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_compressed)

#define PC_STEP		2
#define AFTER_CALL	12
#define CONTEXT_PC(context)	((context)->uc_mcontext.__gregs[REG_PC])

static const uint16_t jump_to_itself[] = { 0xa001 };

static const uint16_t read_for_ever[] = {
	0x82aa,			/* mv t0, a0 */
	0x0893, SYS_read << 4,	/* li a7, SYS_read */
	0x8516,			/* mv a0, t0 */
	0x0073, 0x0000,		/* ecall */
	0xbfed,			/* j to the mv before */
};

#else
#error "The tests have no programs for this machine."
#endif

#endif

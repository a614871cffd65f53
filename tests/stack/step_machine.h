/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What step_test knows of machines: their instructions, system calls and ELF files. */
#ifndef STEP_MACHINE_H
#define STEP_MACHINE_H

#include <elf.h>

#include "unwind/unwind.h"

/*
 * Code of crti.o and crtbegin.o may have no rows: a caller is lost at MISGUESSED instructions.
 * Of 1,000 stacks, SKIPPED at most may be in code whose rows are wrong.
 */
#ifdef PROFIL_FOR_i386
#define MACHINE		EM_386
#define CALL(n64, n32)	n32
#define MISGUESSED	16
#define SKIPPED		10
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_segment;
#elif PROFIL_HAS_LINK
#ifdef PROFIL_MACHINE_ARM64
#define MACHINE		EM_AARCH64
#define NUMBER_REGISTER	8
#define MISGUESSED	16
#define SKIPPED		10
#else
#define MACHINE		EM_RISCV
#define NUMBER_REGISTER	17
#define MISGUESSED	0
#define SKIPPED		120
/* Where ld.so's stack ends is guessed, so before main() no walk joins a trail. */
#define JOINED		20
#endif
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
#else
#define MACHINE		EM_X86_64
#define CALL(n64, n32)	n64
#define MISGUESSED	0
#define SKIPPED		0
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
#endif

/* One of so many walks has to join its trail. */
#ifndef JOINED
#define JOINED		10
#endif

/* By the numbers of machine_*.h. */
struct registers {
	u64	reg[PROFIL_REGS];
	u64	number;			/* of a system call */
};

#ifdef NUMBER_REGISTER
static u32 word_of(const u8 *code)
{
	u32 word;

	memcpy(&word, code, sizeof(word));
	return word;
}

static bool is_mapping(u64 number)
{
	return number == 222 || number == 226 || number == 215;
}

static bool is_return(u64 number)
{
	return number == 139;
}
#endif

#ifdef PROFIL_MACHINE_ARM64
/* bl, blr */
static bool is_call(const u8 *code)
{
	return word_of(code) >> 26 == 0x25 || (word_of(code) & 0xfffffc1f) == 0xd63f0000;
}

/* ret; br x30 */
static bool is_ret(const u8 *code)
{
	return word_of(code) == 0xd65f03c0 || word_of(code) == 0xd61f03c0;
}

static bool is_syscall(const u8 *code)
{
	return word_of(code) == 0xd4000001;
}
#elif defined(PROFIL_MACHINE_RISCV64)
/* jal ra; jalr ra; c.jalr */
static bool is_call(const u8 *code)
{
	u32 word = word_of(code);

	return (word & 0xfff) == 0xef || (word & 0xfff) == 0xe7 ||
	       ((word & 0xf07f) == 0x9002 && word & 0xf80);
}

/* c.jr ra; jr ra */
static bool is_ret(const u8 *code)
{
	return (word_of(code) & 0xffff) == 0x8082 || word_of(code) == 0x8067;
}

static bool is_syscall(const u8 *code)
{
	return word_of(code) == 0x73;
}
#else
/* Not prefixes: repetitions and REX, which are increments in 32-bit code. */
static bool is_call(const u8 *code)
{
	while (*code == 0xf2 || *code == 0xf3 || *code == 0x3e || *code == 0x65 ||
	       *code == 0x67 || (PROFIL_WORD == 8 && (*code & 0xf0) == 0x40))
		code++;
	return *code == 0xe8 || (*code == 0xff && (code[1] & 0x38) == 0x10);
}

/* syscall, int $0x80 or sysenter. */
static bool is_syscall(const u8 *code)
{
	return (code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x34)) ||
	       (PROFIL_WORD == 4 && code[0] == 0xcd && code[1] == 0x80);
}

/* mmap, mprotect, munmap */
static bool is_mapping(u64 number)
{
	return number == CALL(9, 192) || number == CALL(10, 125) || number == CALL(11, 91);
}

/* rt_sigreturn, sigreturn */
static bool is_return(u64 number)
{
	return number == CALL(15, 173) || number == CALL(15, 119);
}

static bool is_ret(const u8 *code)
{
	return *code == 0xc3;
}
#endif

/*
 * Code whose rows are wrong: a stack with a frame there is skipped if its walk fails. It is
 * known by its bytes, as Debian's files have no names for it. At most 512 bytes.
 */
static const struct wrong_row {
	const char	*name;
	u16		bytes;		/* of the function, from this code */
	u8		code[8];
} wrong_rows[] = {
#ifdef PROFIL_FOR_i386
	/* glibc 2.36: each push is a row whose CFA is below, not above. */
	{ "strchrnul()", 0x1be, { 0x57, 0x56, 0x53, 0x55, 0x8b, 0x44, 0x24, 0x14 } },
	/* glibc 2.36: its push of %eax has no row. */
	{ "memcpy()", 0x10, { 0x50, 0x89, 0xc8, 0xc1, 0xe9, 0x02, 0x83, 0xe0 } },
	/* glibc 2.36: its pushes have no row. */
	{ "swapcontext()", 0x4f, { 0x53, 0x8d, 0x50, 0x6c, 0x8d, 0x49, 0x6c, 0xbb } },
	/* glibc 2.36: rows do not know the new stack. */
	{ "setcontext()", 0x52, { 0x8b, 0x44, 0x24, 0x04, 0x53, 0x31, 0xd2, 0x8d } },
	/* It calls the code at its own end, where its row says that it has no caller. */
	{ "_start()", 6, { 0xf4, 0x8b, 0x1c, 0x24, 0xc3, 0x66, 0x90, 0x66 } },
#endif
#ifdef PROFIL_MACHINE_ARM64
	/* glibc 2.36: the row of its first instruction leaves out what the PLT has pushed. */
	{ "lazy binding", 4, { 0x1f, 0x20, 0x03, 0xd5, 0xe8, 0x27, 0xb3, 0xa9 } },
	/* The row of its first instruction does not say yet that it has no caller. */
	{ "_start()", 4, { 0x1f, 0x20, 0x03, 0xd5, 0x1d, 0x00, 0x80, 0xd2 } },
	/* They have the saved registers' address as CFA; the saved PC is mangled. */
	{ "longjmp()", 0x64, { 0x1f, 0x20, 0x03, 0xd5, 0x13, 0x50, 0x40, 0xa9 } },
	{ "setcontext()", 0xac, { 0x1f, 0x20, 0x03, 0xd5, 0xe9, 0x03, 0x00, 0xaa } },
	/* It overwrites the return address. */
	{ "swapcontext()", 0xc8, { 0x1f, 0x20, 0x03, 0xd5, 0x1f, 0xf8, 0x0b, 0xa9 } },
#endif
#ifdef PROFIL_MACHINE_RISCV64
	{ "lazy binding", 0x5e, { 0x75, 0x71, 0x86, 0xe4, 0x2a, 0xe4, 0x2e, 0xe8 } },
	/* It has no rows for what it has restored. */
	{ "longjmp()", 0x68, { 0x83, 0x30, 0x05, 0x00, 0x00, 0x65, 0x04, 0x69 } },
	{ "swapcontext()", 0x12e, { 0xae, 0x82, 0x23, 0x38, 0x15, 0x0a, 0x23, 0x3c } },
	{ "setcontext()", 0xb4, { 0xaa, 0x82, 0xa1, 0x46, 0x13, 0x06, 0x00, 0x00 } },
#endif
	{ .name = NULL }
};

#endif

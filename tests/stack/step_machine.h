/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What step_test knows of machines: their instructions, system calls and ELF files. */
#ifndef STEP_MACHINE_H
#define STEP_MACHINE_H

#include <elf.h>

#include "unwind/unwind.h"

#ifdef PROFIL_FOR_i386
#define MACHINE		EM_386
#define CALL(n64, n32)	n32
/* Code of crti.o and crtbegin.o has no rows: a caller is lost at so many instructions. */
#define MISGUESSED	16
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_segment;
#else
#define MACHINE		EM_X86_64
#define CALL(n64, n32)	n64
#define MISGUESSED	0
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
#endif

/* By the numbers of machine_*.h. */
struct registers {
	u64	reg[PROFIL_REGS];
	u64	number;			/* of a system call */
};

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

/*
 * Code whose rows are wrong: an innermost frame there is skipped if its walk fails. It is
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
	/* It calls the code at its own end, where its row says that it has no caller. */
	{ "_start()", 6, { 0xf4, 0x8b, 0x1c, 0x24, 0xc3, 0x66, 0x90, 0x66 } },
#endif
	{ .name = NULL }
};

#endif

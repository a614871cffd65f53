/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A made-up process: an object with functions of 256 bytes that have call frame
 * information, and a stack.
 */
#ifndef _TESTS_UNWIND_IMAGE_H
#define _TESTS_UNWIND_IMAGE_H

#include "unwind/unwind.h"

#define OPS(s)		(s), sizeof(s) - 1
#define IMAGE_TEXT	0x400000ULL
#define IMAGE_DATA	0x500000ULL
#define IMAGE_DATA_BYTES 0x20000U
#define IMAGE_END	(IMAGE_DATA + IMAGE_DATA_BYTES)
#define IMAGE_STACK	(PROFIL_WORD == 4 ? 0xff800000ULL : 0x7ff000000000ULL)
#define IMAGE_WORDS	4096U
#define IMAGE_FUNCTIONS	16U

/* Where the i-th function begins; there is a gap of 16 bytes behind each. */
#define FUNCTION(i)	(IMAGE_TEXT + 0x1000 + 256ULL * (i))
#define FUNCTION_BYTES	240U

/* The stack's i-th word from below. */
#define WORD(i)		(IMAGE_STACK + (u64)PROFIL_WORD * (i))

struct image {
	struct profil_object	object;
	struct profil_unwind_objects	objects;
	struct profil_unwind	walk;
	struct profil_passed	passed[PROFIL_STACK_FRAMES];
	profil_unwind_word	stack[IMAGE_WORDS];
	u8			text[0x3000], data[IMAGE_DATA_BYTES];
	u32			bytes;		/* of data that are used */
	u32			cie;		/* the last one's place in data */
	u32			functions, reads;
	u32			looks;		/* of trails, at frames, whether words are the same */
	u64			outside;	/* the stack before a walk */
	u64			deepest;	/* and when it reads */
	u64			unreadable;	/* nothing with this byte is read; 0: none */
};

/* As a CIE of x86-64 begins: CFA is rsp+8, the return address there. Of others: CFA is sp. */
#ifdef PROFIL_MACHINE_ARM64
#define CIE	"\x0c\x1f\x00"
#elif defined(PROFIL_MACHINE_RISCV64)
#define CIE	"\x0c\x02\x00"
#elif defined(PROFIL_MACHINE_I386)
#define CIE	"\x0c\x04\x04\x88\x01"
#else
#define CIE	"\x0c\x07\x08\x90\x01"
#endif

/* A process without functions. All of its code are calls. */
void image_init(struct image *image);

/* CIE and FDE of the next function; operations without their padding. */
void image_cie(struct image *image, const char *letters, const void *ops, u32 n);
void image_function(struct image *image, const void *ops, u32 n);

/* Registers at a pc, all known: each is its number, but SP, FP and PC. */
void image_registers(struct image *image, u64 pc, u64 sp, u64 fp);

/* Walks, and says how many frames. */
u32 image_walk(struct image *image, u64 *pc, u32 max);

#endif /* _TESTS_UNWIND_IMAGE_H */

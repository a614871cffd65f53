// SPDX-License-Identifier: LGPL-2.1-or-later
/* Walks through made-up processes: what is found, and why they end. */
#include <linux/limits.h>
#include <linux/nospec.h>

#include "unwind_image.h"
#include "unit.h"

#define OUTERMOST		"\x07\x10"	/* undefined RA */

static struct image image;
static u64 pc[PROFIL_STACK_FRAMES];

/* A function with these operations, and one that calls it. */
static void function_is(const char *ops, size_t n)
{
	image_init(&image);
	image_cie(&image, "zR", OPS(CIE));
	image_function(&image, OPS(OUTERMOST));
	image_function(&image, ops, n);
	image_registers(&image, FUNCTION(1) + 10, WORD(8), WORD(100));
	image.stack[8] = FUNCTION(0) + 20;
}

#define FUNCTION_IS(s)	function_is(OPS(s))

static void assert_walk(u32 frames, enum profil_unwind_end end)
{
	assert_int_equal(image_walk(&image, pc, PROFIL_STACK_FRAMES), frames);
	assert_int_equal(image.walk.end, end);
}

/* Rows begin at their first address, and end before the next one's. */
TEST(rows_change_at_their_addresses)
{
	/* advance 4: CFA is rsp+16; advance1 4, advance2 4, advance4 4. */
	FUNCTION_IS("\x44\x0e\x10\x02\x04\x0e\x18\x03\x04\x00\x0e\x20"
		    "\x04\x04\x00\x00\x00\x0e\x28"
		    /* Pairs, two at a time, but not with another operation or a long offset. */
		    "\x44\x0e\x30\x43\x0e\x30\x41\x0e\x38\x44\x0e\x40\x40\x0d\x07\x44\x0e\x48"
		    "\x44\x0e\x50\x40\x0e\xd0\x00\x44\x0e\x58");
	for (u64 at = 0; at < 44; at++) {
		memset(image.stack, 0, sizeof(image.stack));
		image.stack[8 + at / 4] = FUNCTION(0) + 20;
		image_registers(&image, FUNCTION(1) + at, WORD(8), 0);
		assert_walk(2, PROFIL_END_OUTERMOST);
	}
}

/* CFA, and where all registers are, by expressions from rsp. */
#define SIGNAL_FRAME	"\x0f\x03\x77\x10\x06"		/* *(rsp+16) */	\
			"\x10\x10\x02\x77\x08"		/* RA at rsp+8 */	\
			"\x10\x07\x02\x77\x10"		/* rsp at rsp+16 */	\
			"\x10\x00\x02\x77\x18"		/* rax at rsp+24 */

/* On an alternate stack, even one that is above. */
TEST(a_signal_interrupts_anywhere)
{
	image_init(&image);
	image_cie(&image, "zRS", OPS(CIE));
	image_function(&image, OPS(SIGNAL_FRAME));
	image_cie(&image, "zR", OPS(CIE));
	/* Its CFA is at rax. */
	image_function(&image, OPS("\x0c\x00\x08"));
	image_function(&image, OPS(OUTERMOST));
	image_function(&image, OPS(""));
	/* Function 3 handles a signal; 1 was interrupted, at its start. */
	image_registers(&image, FUNCTION(3) + 16, WORD(100), 0);
	image.stack[100] = FUNCTION(0) + 1;
	memcpy(image.stack + 102, (u64[]) { FUNCTION(1), WORD(20), WORD(30) }, 24);
	image.stack[30] = FUNCTION(2) + 5;
	assert_walk(4, PROFIL_END_OUTERMOST);
	assert_int_equal(pc[1], FUNCTION(0));
	assert_int_equal(pc[2], FUNCTION(1));
	assert_int_equal(pc[3], FUNCTION(2) + 4);
}

TEST(a_function_that_was_made_to_return_to_ends_a_stack)
{
	FUNCTION_IS("");
	/* A return to the start of a function. */
	image.text[FUNCTION(0) - IMAGE_TEXT - 1] = 0x90;
	image.stack[8] = FUNCTION(1);
	image.text[FUNCTION(1) - IMAGE_TEXT - 1] = 0x90;
	image.stack[9] = 77;
	assert_walk(2, PROFIL_END_OUTERMOST);
}

/* Each operation, in an expression for the CFA that ends as WORD(9). */
TEST(operations_of_expressions)
{
#define EXPRESSION(s)	{ "\x0f", s, sizeof(s) - 1 }
	static const struct { const char *op, *bytes; size_t n; } good[] = {
		/* rsp 8 +, drop, 16 8 -, 2 * 4, & -8 */
		EXPRESSION("\x77\x00\x38\x22"), EXPRESSION("\x77\x08\x38\x13"),
		EXPRESSION("\x77\x10\x38\x1c"), EXPRESSION("\x77\x00\x32\x34\x1e\x22"), EXPRESSION("\x77\x0f\x09\xf8\x1a"),
		/* const1u, const1s, const2u, const2s, const4u, const4s, const8u */
		EXPRESSION("\x77\x00\x08\x08\x22"), EXPRESSION("\x77\x10\x09\xf8\x22"),
		EXPRESSION("\x77\x00\x0a\x08\x00\x22"), EXPRESSION("\x77\x10\x0b\xf8\xff\x22"),
		EXPRESSION("\x77\x00\x0c\x08\0\0\0\x22"),
		EXPRESSION("\x77\x10\x0d\xf8\xff\xff\xff\x22"),
		EXPRESSION("\x77\x00\x0e\x08\0\0\0\0\0\0\0\x22"),
		/* 1 << 3, 0 << 64, 1 >= 0 */
		EXPRESSION("\x77\x00\x31\x33\x24\x22"), EXPRESSION("\x77\x08\x30\x08\x40\x24\x22"),
		EXPRESSION("\x77\x07\x31\x30\x2a\x22"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		char ops[32] = "\x0f";

		ops[1] = good[i].n;
		memcpy(ops + 2, good[i].bytes, good[i].n);
		function_is(ops, 2 + good[i].n);
		assert_walk(2, PROFIL_END_OUTERMOST);
	}
}

/* Operations that no file of Debian has in its call frame information. */
TEST(unknown_operations_of_expressions)
{
	static const u8 unknown[] = "\x03\x12\x14\x16\x17\x19\x1b\x1d\x1f\x20\x21\x25"
				    "\x26\x27\x28\x29\x2b\x2c\x2d\x2e\x2f\x50\x92\x96\xff";

	for (size_t i = 0; i < ARRAY_SIZE(unknown) - 1; i++) {
		char ops[] = "\x0f\x04\x77\x00\x38\x38";

		ops[5] = unknown[i];
		function_is(ops, 6);
		assert_walk(1, PROFIL_END_UNKNOWN);
	}
}

/* Ways to say where the return address is: in a word of the stack, or in rcx. */
TEST(rules_of_registers)
{
#define RULE(s, frames, ...)	{ OPS(s), frames, __VA_ARGS__ }
	static const struct { const char *ops; size_t n; u32 frames, word; } rules[] = {
		/* offset_extended, offset_extended_sf -1, negative_offset; register rcx */
		RULE("\x05\x10\x02", 2, 7), RULE("\x11\x10\x7f", 2, 10),
		RULE("\x2f\x10\x01", 2, 10), RULE("\x09\x10\x02", 2, 0),
		/* expression rsp+8, val_expression rcx; val_offset, val_offset_sf, def_cfa_sf */
		RULE("\x10\x10\x02\x77\x08", 2, 9), RULE("\x16\x10\x02\x72\x00", 2, 0),
		RULE("\x14\x07\x7f", 1, 8), RULE("\x15\x07\x7f", 2, 8), RULE("\x12\x07\x7f", 2, 8),
		RULE("\x05\x10\x05\xd0", 2, 8),		/* restored: by the CIE */
		RULE("\x05\x10\x05\x06\x10", 2, 8), RULE("\x0a\x05\x10\x05\x0b", 2, 8),
		/* def_cfa_register rbp, def_cfa_offset_sf -2 */
		RULE("\x0d\x06\x2e\x10", 2, 100), RULE("\x13\x7e", 2, 9),
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		function_is(rules[i].ops, rules[i].n);
		image.stack[8] = 0x123456;
		*(rules[i].word ? &image.stack[rules[i].word] : &image.walk.regs.reg[2]) =
			FUNCTION(0) + 20;
		assert_walk(rules[i].frames, rules[i].frames == 2 ? PROFIL_END_OUTERMOST :
			    PROFIL_END_BACKWARDS);
	}
}

TEST(a_register_that_calls_do_not_preserve)
{
	static const char by_r10[] = "\x0c\x0a\x08";

	/* In the innermost frame it is there... */
	FUNCTION_IS(by_r10);
	image.walk.regs.reg[10] = WORD(30);
	image.stack[30] = FUNCTION(0) + 20;
	assert_walk(2, PROFIL_END_OUTERMOST);
	/* ...and in its caller's no more. */
	image_function(&image, OPS(""));
	image_registers(&image, FUNCTION(2), WORD(8), 0);
	image.stack[8] = FUNCTION(1) + 1;
	assert_walk(2, PROFIL_END_REGISTER);
}

TEST(augmentations)
{
	static const struct { const char *letters; enum profil_unwind_end end; } cies[] = {
		{ "zR", PROFIL_END_OUTERMOST }, { "zPLR", PROFIL_END_OUTERMOST },
		{ "zRS", PROFIL_END_OUTERMOST }, { "zX", PROFIL_END_UNKNOWN },
		{ "eh", PROFIL_END_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cies); i++) {
		image_init(&image);
		image_cie(&image, cies[i].letters, OPS(CIE));
		image_function(&image, OPS(OUTERMOST));
		image_registers(&image, FUNCTION(0), WORD(8), 0);
		assert_walk(1, cies[i].end);
	}
}

/* Code that was made at run time. */
static void jit_frame(u64 fp)
{
	FUNCTION_IS("");
	image_registers(&image, 0x10000, WORD(8), fp);
	memcpy(image.stack + 20, (u64[]) { WORD(30), FUNCTION(0) + 20 }, 16);
	image.stack[IMAGE_WORDS - 1] = 0;
}

TEST(code_in_no_object_has_a_frame_pointer)
{
	/* Also at the stack pointer, and behind the last object. */
	for (u32 i = 0; i < 3; i++) {
		jit_frame(WORD(i == 1 ? 8 : 20));
		image.stack[9] = FUNCTION(0) + 20;
		image.walk.regs.reg[PROFIL_REG_PC] = i == 2 ? IMAGE_END : 0x10000;
		assert_walk(2, PROFIL_END_OUTERMOST);
		assert_true(image.walk.guessed);
	}
}

/* Of the last ones, one has no call before the return address, and one is lost. */
TEST(frame_pointers_that_are_none)
{
	static const u64 none[] = { WORD(7), WORD(20) + 4, WORD(8) + PROFIL_UNWIND_FRAME_BYTES + 8,
				    WORD(IMAGE_WORDS), WORD(20), WORD(20) };

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		jit_frame(none[i]);
		memset(image.text, 0x90, i == 4 ? sizeof(image.text) : 0);
		image.walk.regs.known &= i == 5 ? ~(1ULL << PROFIL_REG_FP) : -1ULL;
		assert_walk(1, PROFIL_END_NO_OBJECT);
	}
}

/* An interpreter pushes where to go on, and jumps. The caller's frame must be above. */
TEST(made_code_returns_to_made_code_without_a_call)
{
	static const struct { u64 pc, fp; u32 frames; } to[] = {
		{ 0x20000, WORD(22), 3 }, { 0x1008, WORD(22), 3 },
		{ 0x10000 + (2ULL << 30), WORD(22), 1 }, { WORD(9), WORD(22), 1 },
		{ IMAGE_TEXT, WORD(22), 1 }, { 0x20000, WORD(22) + 4, 1 }, { 0x20000, WORD(20), 1 },
		{ 0x20000, WORD(20) + PROFIL_UNWIND_FRAME_BYTES + 8, 1 },
		{ 0x20000, WORD(24), 1 },	/* With nothing behind it, it was none. */
	};

	for (size_t i = 0; i < ARRAY_SIZE(to); i++) {
		jit_frame(WORD(20));
		memcpy(image.stack + 20, (u64[]) { to[i].fp, to[i].pc, WORD(30), FUNCTION(0) + 20 }, 32);
		assert_walk(to[i].frames, to[i].frames == 3 ? PROFIL_END_OUTERMOST : PROFIL_END_NO_OBJECT);
	}
}

TEST(all_forms_of_calls)
{
	static const struct { u8 bytes[8]; bool call; } code[] = {
		/* n, *%rbx, *(%rbx), *8(%rbx), *(%rbx,%rcx), *8(%rbx,%rcx) */
		{ { 0x90, 0x90, 0xe8, 1, 2, 3, 4 }, true }, { { 0, 0, 0, 0, 0, 0xff, 0xd3 }, true },
		{ { 0, 0, 0, 0, 0, 0xff, 0x13 }, true }, { { 0, 0, 0, 0, 0xff, 0x53, 8 }, true },
		{ { 0, 0, 0, 0, 0xff, 0x14, 0x0b }, true }, { { 0, 0, 0, 0xff, 0x54, 0x0b, 8 }, true },
		/* *n(%rip), *n(%rbx), *n(%rbx,%rcx), *n(,%rcx,8); jmp *%rbx; others; a call of what is behind it */
		{ { 0, 0xff, 0x15, 1, 2, 3, 4 }, true }, { { 0, 0xff, 0x93, 1, 2, 3, 4 }, true },
		{ { 0xff, 0x94, 0x0b, 1, 2, 3, 4 }, true }, { { 0xff, 0x14, 0xcd, 1, 2, 3, 4 }, true },
		{ { 0, 0, 0, 0, 0, 0xff, 0xe3 }, false }, { { 0, 0, 0, 0, 0xff, 0x13, 0 }, false },
		{ { 0, 0, 0, 0, 0, 0, 0xff }, false }, { { 0, 0, 0xff, 0x15, 1, 2, 3 }, false },
		{ { 0xff, 0x15, 1, 2, 3, 4, 0x90 }, false }, { { 0x90, 0x90, 0xe8, 0, 0, 0, 0 }, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(code); i++) {
		jit_frame(WORD(20));
		memcpy(image.text + (FUNCTION(0) + 13 - IMAGE_TEXT), code[i].bytes, 7);
		assert_walk(1 + code[i].call, code[i].call ? PROFIL_END_OUTERMOST : PROFIL_END_NO_OBJECT);
	}
}

#define GAP	(FUNCTION(0) + FUNCTION_BYTES)
#define CALLED(at)	{ at, FUNCTION(0) + 20 }
#define INNER	(FUNCTION(1) + 10)
TEST(code_without_a_row_has_what_is_around_it)
{
	static const struct {
		u64 pc, fp; u32 frames, end; bool guessed; struct { u32 at; u64 is; } word[5];
	} rows[] = {
#define ROW(pc, fp, frames, end, guessed, ...)					\
		{ pc, fp, frames, PROFIL_END_##end, guessed, { __VA_ARGS__ } }
		/* A return address is on top, and what is none. */
		ROW(GAP + 1, WORD(20), 2, OUTERMOST, true, CALLED(8)),
		ROW(GAP + 1, WORD(20), 1, NO_ROW, false, { 8, 0x1234 }), ROW(GAP + 1, WORD(20), 1, NO_ROW, false, { 8, IMAGE_END + 8 }),
		/* It has pushed the frame pointer, and not set it yet. */
		ROW(GAP + 1, WORD(20), 2, OUTERMOST, true, { 8, WORD(20) }, CALLED(9), { 21, FUNCTION(1) + 20 }),
		/* Local variables may look like argc, argv and NULL. */
		ROW(GAP + 4, WORD(20), 2, OUTERMOST, true, { 8, 1 }, { 9, WORD(12) }, { 20, WORD(30) }, CALLED(21)),
		/* So does the entry of a process: the dynamic linker's has no rows. */
		ROW(INNER, 0, 2, OUTERMOST, false, { 8, GAP + 8 }, { 9, 2 }, { 10, WORD(50) }, { 11, WORD(51) }),
		ROW(INNER, 0, 2, NO_ROW, false, { 8, GAP + 8 }, { 9, 2 }, { 10, WORD(50) }, { 11, WORD(51) }, { 12, 1 }),
		/* A row gives the caller, whatever the frame pointer seems to say. */
		ROW(INNER, WORD(20), 2, OUTERMOST, false, CALLED(8), { 20, WORD(30) }, { 21, FUNCTION(1) + 20 }),
		ROW(INNER, 0, 1, OUTERMOST, false, { 8, 0 }),	/* A return address of 0 is of nobody. */
		ROW(INNER, 0, 2, NO_ROW, false, { 8, GAP + 4 }, CALLED(9)),	/* It has called. */
		/* Code with a row may have another use for rbp than a frame pointer. */
		ROW(GAP + 4, WORD(20), 3, NO_ROW, true, { 8, 0 }, { 21, FUNCTION(1) + 20 }, { 22, GAP + 4 }),
		/* As crtstuff.c's: it has pushed rbp; also with local variables below. */
		ROW(INNER, WORD(9), 3, OUTERMOST, true, { 8, GAP + 4 }, CALLED(10)),
		ROW(INNER, WORD(10), 3, OUTERMOST, true, { 8, GAP + 4 }, CALLED(11)),
		/* A row that is wrong has led to something that is no code. */
		ROW(INNER, 0, 1, NO_OBJECT, false, { 8, 0x1234 }),
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		FUNCTION_IS("");
		image_registers(&image, rows[i].pc, WORD(8), rows[i].fp);
		for (size_t w = 0; w < 5 && rows[i].word[w].at; w++)
			image.stack[rows[i].word[w].at] = rows[i].word[w].is;
		assert_walk(rows[i].frames, rows[i].end);
		assert_int_equal(image.walk.guessed, rows[i].guessed);
	}
}

/* A jump leads here from the call, or above the frame pointer is a call of it or its caller. */
TEST(a_return_address_on_top_is_of_a_call_that_can_lead_here)
{
#define DIRECT	"\xe8\xec\x02\0\0"	/* of function 3 */
#define ANY	"\xd0\xff\xd0\xff\xd0"
#define OF_GAP	"\xe8\xa0\xff\xff\xff"
#define OF_0	"\xe8\xec\xff\xff\xff"	/* which makes a frame, or does not */
#define BACK_0	"\xe8\xb0\xfe\xff\xff"
	static const struct { const char *code; u32 n; s32 at; const char *call, *by_fp; bool top; } rows[] = {
		{ OPS("\xe9\xeb\xfd\xff\xff"), 0, DIRECT, ANY, true },	/* to GAP, the PLT's */
		{ OPS("\xf3\x0f\x1e\xfa\xf2\xff\x25\xf5\0\0\0"), 0, DIRECT, ANY, true },
		{ OPS("\xeb\xfe\xe9\x79\xfd\xff\xff"), 112, DIRECT, ANY, true },
		{ OPS("\xe9\xeb\xed\xff\xff"), 0, DIRECT, ANY, false }, { OPS("\xff\xe0"), 0, DIRECT, ANY, true },
		{ OPS(""), 0, DIRECT, BACK_0, true }, { OPS(""), 0, ANY, ANY, true },
		{ OPS(""), 0, DIRECT, OF_GAP, false }, { OPS(""), 0, ANY, OF_GAP, false },
		{ OPS("\xe9\xee\xf0\xff\xff"), 0xcfd, "\xe8\xe9\x0f\0\0", ANY, true },	/* across pages */
		{ OPS(""), 0, "\xe8\xff\x54\x24\x08", "\xe8\xb0\2\0\0", true },	/* ...e8; call *8(%rsp) */
		{ OPS("\xff\x25\2\1\0\0\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xff\x25\xea\0\0\0"), 0, DIRECT, OF_GAP, false },
		{ OPS("\x48\x89\xe5"), -738, OF_0, BACK_0, false }, { OPS("\x48\x89\xe5\xc9"), -532, OF_0, BACK_0, true },
		{ OPS("\x48\x8b\xec"), -738, OF_0, ANY, false }, { OPS("\x48\x8d\x6c\x24\x10"), -738, OF_0, ANY, false },
		{ OPS("\x48\x89\xe4"), -738, OF_0, ANY, true }, { OPS("\x48\x89\xe5"), -738, OF_0, ANY, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		FUNCTION_IS("");
		image_registers(&image, GAP + 1, WORD(8), WORD(20));
		image.stack[8] = FUNCTION(0) + 20;
		memcpy(image.stack + 20, (u64[]) { WORD(30), FUNCTION(1) + 80, FUNCTION(0) + 80 }, 24);
		memcpy(image.text + (FUNCTION(0) + 15 - IMAGE_TEXT), rows[i].call, 5);
		memcpy(image.text + (FUNCTION(1) + 75 - IMAGE_TEXT), rows[i].by_fp, 5);
		memcpy(image.text + (FUNCTION(3) + rows[i].at - IMAGE_TEXT), rows[i].code, rows[i].n);
		memcpy(image.text + (FUNCTION(4) - IMAGE_TEXT), (u64[]) { GAP, FUNCTION(8) }, 16);
		assert_walk(rows[i].top ? 2 : 3, PROFIL_END_OUTERMOST);
	}
	/* When no more can be read, the last one is not taken either. */
	image_registers(&image, GAP + 1, WORD(8), WORD(20));
	profil_unwind_begin(&image.walk);
	for (u32 steps = 0; steps < 16; profil_guess_caller(&image.walk))
		image.walk.steps = steps++;
	assert_int_equal(image.walk.regs.reg[PROFIL_REG_PC], GAP + 1);
	/* What can be no frame pointer tells nothing. */
	image_registers(&image, GAP + 1, WORD(8), WORD(20) + 4);
	assert_walk(2, PROFIL_END_OUTERMOST);
}

/* Where a frame is made or ended, the top may be left over, and of a call of this function. */
TEST(a_frame_that_is_made_or_ended_tells_where_its_return_address_is)
{
	static const struct { const char *code; u32 n, at, word; } rows[] = {
#define MAKES		OPS("\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10")
#define MAKES_LARGE	OPS("\x48\x89\xac\x24\0\1\0\0\x48\x8d\xac\x24\0\1\0\0")
		{ MAKES, 0, 11 }, { MAKES, 5, 11 }, { MAKES_LARGE, 0, 41 }, { MAKES_LARGE, 8, 41 },
		{ OPS("\x48\x83\xc4\x18\xc3"), 0, 11 }, { OPS("\x48\x81\xc4\x08\1\0\0\xf3\xc3"), 0, 41 },
		{ OPS("\x48\x83\xec\x80\xc3"), 0, 24 }, { OPS("\x48\x83\xc4\x18\xc2\4"), 0, 11 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		FUNCTION_IS("");
		image_registers(&image, FUNCTION(2) + rows[i].at, WORD(8), WORD(100));
		memcpy(image.text + (FUNCTION(2) - IMAGE_TEXT), rows[i].code, rows[i].n);
		image.stack[8] = FUNCTION(0) + 80;
		image.stack[rows[i].word] = FUNCTION(0) + 20;
		assert_walk(2, PROFIL_END_OUTERMOST);
		assert_int_equal(pc[1], FUNCTION(0) + 19);
	}
	/* The same return address at the frame pointer: a recursive call, or a copy in a frame; its end. */
	for (u32 at = 0; at < 3; at++) {
		FUNCTION_IS("");
		image_registers(&image, FUNCTION(2) + 23, WORD(8), WORD(20));
		memcpy(image.text + (FUNCTION(2) + 14 - IMAGE_TEXT), "\x48\x89\xe5\x5d", at ? 2 + at : 0);
		memcpy(image.text + (FUNCTION(3) + 15 - IMAGE_TEXT), "\xe8\xec\xfe\xff\xff", 5);
		memcpy(image.stack + 20, (u64[]) { WORD(30), FUNCTION(3) + 20 }, 16);
		image.stack[8] = FUNCTION(3) + 20;
		image.stack[31] = FUNCTION(0) + 20;
		assert_walk(at == 1 ? 3 : 4, PROFIL_END_OUTERMOST);
	}
}

#define PAGE	(IMAGE_TEXT + 0x2000)
#define CODE	(PAGE - 8)
/*
 * A frame without a row, found by its frame pointer, with these bytes around its PC. The next
 * page is read only if they are in it, too.
 */
static void code_around(const char *code, u32 n, u32 before)
{
	FUNCTION_IS("");
	image_registers(&image, GAP + 1, WORD(8), WORD(20));
	memset(image.stack, 0, sizeof(image.stack));
	memcpy(image.stack + 20, (u64[]) { WORD(30), CODE }, 16);
	memcpy(image.text + (CODE - before - IMAGE_TEXT), code, n);
	image.unreadable = CODE - before + n <= PAGE ? PAGE : 0;
}

#define POPS	"\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3"
/* Each byte of it counts, but for operands. A word of the stack is its return address. */
TEST(code_without_a_row_is_known_by_its_instructions)
{
	static const struct { const char *code; u32 n, before, operands, at; u64 is; } rows[] = {
		/* python3 -X perf, Go's crosscall1; mstart, a barrier; _start, clone; mcall; morestack, goexit. */
		{ OPS("\x48\x83\xc4\x18\xc3"), 0, 0, 25, FUNCTION(0) + 20 }, { OPS(POPS), 0, 0, 28, FUNCTION(0) + 20 },
		{ OPS("\xc3"), 0, 0, 22, FUNCTION(0) + 20 }, { OPS("\x49\x94\xc3"), 0, 0, 22, FUNCTION(0) + 20 },
		{ OPS("\xf4"), 0, 0, 30, 0 }, { OPS("\xbf\x6f\0\0\0\xb8\x3c\0\0\0\x0f\5"), 0, 0, 30, 0 },
		{ OPS("\x41\xff\xd4\x58\xe9"), 3, 0, 30, 0 }, { OPS("\x41\xff\xd4\x90\x58\xe9"), 3, 0, 30, 0 },
		{ OPS("\x48\x8b\x63\x38\xe8"), 9, 0, 30, 0 }, { OPS("\x90\xe8\1\2\3\4\x90"), 1, 0x3c, 20, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (u32 n = rows[i].n, flip = 0, frames; flip <= n; flip++) {
			if (rows[i].operands >> flip & 1)
				continue;
			code_around(rows[i].code, n, rows[i].before);
			image.text[CODE - rows[i].before + flip - IMAGE_TEXT] ^= 0x10;
			image.stack[rows[i].at] = rows[i].is;
			/* Made code, in no object; a return address is one, whatever has been called. */
			image.object.end = i ? IMAGE_END : GAP;
			memcpy(image.text + (FUNCTION(0) + 15 - IMAGE_TEXT), "\xe8\0\1\0\0", 5);
			frames = image_walk(&image, pc, PROFIL_STACK_FRAMES);
			assert_true(flip < n ? frames < 3 : frames == (rows[i].is ? 3 : 2));
			assert_int_equal(image.walk.end == PROFIL_END_OUTERMOST, flip == n);
		}
	}
	code_around(OPS("\x48\x94\xc3"), 0);	/* the stack pointer itself is exchanged */
	image.stack[22] = FUNCTION(0) + 20;
	assert_walk(2, PROFIL_END_NO_ROW);
	/* Behind a ret, no frame pointer is none still. Pops get C's, but only with a return address. */
	for (u32 i = 0; i < 3; i++) {
		code_around(i ? POPS : "\xc3", i ? 11 : 1, 0);
		image.stack[i ? 28 : 22] = i < 2 ? GAP + 2 : 0x1234;
		image.stack[i ? 31 : 20] = i ? FUNCTION(0) + 20 : 0;
		assert_walk(3, i == 1 ? PROFIL_END_NO_ROW : PROFIL_END_OUTERMOST);
	}
}

/*
 * A handler returns to code without a row: on top of the stack, or above its frame pointer. Or
 * it has returned: before the instructions of the system call, between them, behind them.
 */
TEST(a_handler_returns_to_code_without_a_row)
{
	for (u32 i = 0; i < 50; i++) {
		static const u32 saved[] = { 27, 14, 13, 13, 13 }, behind[] = { 0, 0, 0, 7, 9 };
		u32 flip = i / 5, way = i % 5;

		code_around("\x48\xc7\xc0\x0f\0\0\0\x0f\5", 9, 0);
		image.text[CODE + flip - IMAGE_TEXT] ^= 8;
		memset(image.text + (CODE - 10 - IMAGE_TEXT), 0x90, 10);
		image.stack[8] = way == 1 ? CODE : 0;
		image_registers(&image, way > 1 ? CODE + behind[way] : GAP + 1, WORD(8), WORD(20));
		/* bp, sp, ip of what was interrupted. */
		image.stack[saved[way] + 10] = WORD(77);
		memcpy(image.stack + saved[way] + 15, (u64[]) { WORD(70), FUNCTION(1) }, 16);
		image.stack[70] = FUNCTION(0) + 20;
		assert_walk(flip < 9 ? 1 : 3, flip < 9 ? PROFIL_END_NO_ROW : PROFIL_END_OUTERMOST);
		assert_true(flip < 9 || image.walk.regs.reg[PROFIL_REG_FP] == WORD(77));
	}
}

#define FAR	"\x64\x48\x8b\x04\x25\xf8\xff\xff\xff\x48\x8b\x58\x30\x48\x8b\x83\xc0\0\0\0" \
		"\x64\x48\x89\x04\x25\xf8\xff\xff\xff\x48\x8b\x60\x38"
#define NEAR	"\x64\x48\x8b\x01\x48\x8b\x58\xf0\x48\x8b\x83\xc0\0\0\0\x64\x48\x89\x01\x48\x8b\x60\x38"
#define BACK_RSP	"\x48\x8b\x7c\x24\x30\x48\x8b\x77\x08\x48\x2b\x34\x24"
#define BACK	"\x48\x8b\x7c\x24\x30\x48\x8b\x77\x08\x48\x2b\x74\x24\x28"
/*
 * As Go's systemstack: its caller's stack pointer is in g at %fs:-8, m, curg; in
 * libraries -8 is in memory, here behind a call. As its asmcgocall: 32 bytes below a word of g
 * at 48(%rsp), or at 40(%rsp) or (%rsp). As its cgocallback: it is the frame pointer.
 */
TEST(go_switches_stacks)
{
	static const struct { const char *code; u32 n; u64 operands, word; u32 at; bool record; } rows[] = {
		{ OPS(FAR), 0x11e0f11e0, 0, 3307, false },
		{ OPS("\x48\xc7\xc1\xf8\xff\xff\xff" NEAR), 0x203c4078, 0, 3224, false },
		{ OPS("\x48\x8b\x0d\x51\xf2\xff\xff" NEAR), 0x203c4078, 0, 3224, false },
		{ OPS(FAR), 0x11e0f11e0, 0, 3006, true }, { OPS(BACK), 0x2110, 32, 27, false },
		{ OPS("\x48\x8b\x0d\1\2\3\4" BACK), 0x10887e, 32, 3001, false },
		{ OPS("\x48\x8b\x74\x24\x28\x48\x89\xf4"), 0x10, WORD(24), 27, false },
		{ OPS("\x48\x8d\x44\x24\x28\x48\x29\xe0"), 0x10, 0, 2, true },
		{ OPS("\x48\x8b\x34\x24\x48\x89\xf4"), 0, WORD(2), 22, true }, { OPS(BACK_RSP), 0x110, 208, 22, true },
		{ OPS("\x48\x8b\x0d\1\2\3\4" BACK_RSP), 0x887e, 32, 22, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		/* At the end: another call, no word, no base, not on the stack of the frame pointer; good. */
		for (u32 n = rows[i].n, flip = 0, cut; flip < n + 5; flip++) {
			if (rows[i].operands >> flip & 1)
				continue;
			code_around(rows[i].code, n, 0);
			image.walk.regs.known |= flip == n + 2 ? 0 : PROFIL_KNOWN_THREAD;
			image.walk.thread = WORD(3008);
			memcpy(image.text + (FUNCTION(2) + 75 - IMAGE_TEXT), "\xe8\x9e\x0d\0\0\xf8\xff\xff\xff", 9);
			image.text[flip < n ? CODE + flip - IMAGE_TEXT : FUNCTION(2) + 77 - IMAGE_TEXT] ^=
				flip <= n ? 0x20 : 0;
			image.unreadable = flip == n + 1 ? WORD(rows[i].at) : image.unreadable;
			memcpy(image.stack + 2, (u64[]) { WORD(30), FUNCTION(2) + 80 }, 16);
			memcpy(image.stack + 27, (u64[]) { rows[i].word, WORD(3000), 0, 0, FUNCTION(0) + 20 }, 40);
			image.stack[20] = WORD(rows[i].record ? 2 : 30);
			memcpy(image.stack + 22, (u64[]) { rows[i].word, 0, FUNCTION(2) + 80 }, 24);
			image.stack[3001] = WORD(28);
			image.stack[i == 1 || i == 2 ? 2998 : 3006] = WORD(3200);
			image.stack[3007] = WORD(3000);
			image.stack[3224] = WORD(3300);
			image.stack[3307] = WORD(flip == n + 3 ? 31 : rows[i].record ? 2 : 24);
			cut = flip < n ? rows[i].record : flip < n + 2 || (flip < n + 4 && i < 4);
			assert_walk(cut ? 2 : flip < n ? 3 : 4, cut ? PROFIL_END_NO_ROW : PROFIL_END_OUTERMOST);
		}
		if (i > 2)
			continue;
		/* Its caller is itself: by the base once. */
		image_registers(&image, GAP + 1, WORD(8), WORD(20));
		image.walk.regs.known |= PROFIL_KNOWN_THREAD;
		image.stack[24] = CODE;
		memcpy(image.text + (CODE - 5 - IMAGE_TEXT), "\xe8\xb0\xff\xff\xff", 5);
		assert_walk(3, PROFIL_END_NO_ROW);
		image_registers(&image, GAP + 1, WORD(8), WORD(20));
		image.unreadable = FUNCTION(2) + 80;	/* a library's offset of g */
		assert_walk(2, PROFIL_END_NO_ROW);
	}
}

/* C has the frame pointer of where Go's stack was: the right record is in the frame of asmcgocall's caller. */
TEST(go_moves_stacks)
{
	for (u32 at = 29, moves; at <= 41; at++) {
		moves = at != 40;
		code_around(moves ? BACK : "\x48\x8b\x74\x24\x30\x48\x89\xf4", moves ? 14 : 8, 0);
		memcpy(image.text + (GAP + 3 - IMAGE_TEXT), "\xe8\xe6\x0e\0\0", 5);
		memcpy(image.text + (FUNCTION(0) + 15 - IMAGE_TEXT), "\xe8\xdc\0\0\0", 5);
		memcpy(image.stack + 20, (u64[]) { WORD(at % 2 ? 2000 : moves ? 10 : 50), CODE }, 16);
		memcpy(image.stack + 24, (u64[]) { GAP + 8, WORD(60), FUNCTION(1) + 20, 32, WORD(moves ? 3000 : 24) }, 40);
		memcpy(image.stack + (moves ? at : 50), (u64[]) { WORD(60), FUNCTION(0) + 20 }, 16);
		image.stack[2001] = GAP + 2;	/* of another goroutine */
		image.stack[3001] = WORD(28);
		assert_walk(at < 41 ? 4 : 3, at < 41 ? PROFIL_END_OUTERMOST : PROFIL_END_NO_ROW);
		assert_int_equal(pc[at < 41 ? 3 : 2], at < 41 ? FUNCTION(0) + 19 : GAP + 7);
	}
}

/* Neither a missing table nor a gap in it hides frames with frame pointers. */
TEST(code_without_a_row_has_a_frame_pointer)
{
	for (int table = 0; table < 2; table++) {
		code_around(OPS("\xf4"), 0);
		image.object.eh_frame_hdr *= table;
		image.stack[21] = GAP + 4;
		image.stack[31] = CODE;
		assert_walk(3, PROFIL_END_OUTERMOST);
		assert_true(image.walk.guessed);
		/* As in Go's crosscall2: the record leads to another one, right above. */
		memcpy(image.stack + 19, (u64[]) { WORD(20), WORD(30), GAP + 4 }, 24);
		image_registers(&image, GAP + 1, WORD(8), WORD(19));
		assert_walk(3, PROFIL_END_OUTERMOST);
		image_registers(&image, GAP + 4, WORD(8), 1);	/* no frame pointer */
		assert_walk(1, table ? PROFIL_END_NO_ROW : PROFIL_END_NO_TABLE);
	}
}

/* After a walk with a table. */
TEST(an_object_without_a_table)
{
	static const struct { u64 table; u32 objects; enum profil_unwind_end end; } rows[] = {
		{ 0, 1, PROFIL_END_NO_TABLE }, { 0xdead000, 1, PROFIL_END_MEMORY },
		{ U64_MAX, 1, PROFIL_END_NO_ROW }, { IMAGE_DATA, 0, PROFIL_END_NO_OBJECT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		FUNCTION_IS("");
		assert_walk(2, PROFIL_END_OUTERMOST);
		image_registers(&image, FUNCTION(1) + 10, WORD(8), WORD(100));
		image.stack[8] = 7;
		image.object.eh_frame_hdr = rows[i].table;
		image.objects.n = rows[i].objects;
		assert_walk(1, rows[i].end);
	}
}

/* The last ones lie about its length. */
TEST(another_form_of_table)
{
	static const struct { u32 at, n; u8 value; enum profil_unwind_end end; } other[] = {
		{ 0, 1, 2, 0 }, { 1, 1, 0x0c, 0 }, { 1, 1, 0xff, 0 }, { 2, 1, 0x04, 0 }, { 2, 1, 0xff, 0 },
		{ 3, 1, 0x1b, 0 }, { 3, 1, 0x3c, 0 }, { 3, 1, 0xff, 0 }, { 0, 12, 0xff, 0 },
		{ 8, 4, 0xff, PROFIL_END_MEMORY }, { 8, 4, 0, PROFIL_END_NO_ROW },
	};

	for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
		FUNCTION_IS("");
		image.stack[8] = 7;
		memset(image.data + other[i].at, other[i].value, other[i].n);
		assert_walk(1, other[i].end ? other[i].end : PROFIL_END_TABLE);
	}
}

TEST(senseless_operations)
{
#define BAD(s, why)	{ OPS(s), PROFIL_END_##why }
	static const struct { const char *ops; size_t n; enum profil_unwind_end end; } bad[] = {
		/* Nothing remembered, RA is the same, half a CFA, long blocks and numbers. */
		BAD("\x0b", CFI), BAD("\x08\x10", CFI), BAD("\x0f\x01\x30\x0e\x08", CFI),
		BAD("\x0f\x7f\x30", CFI), BAD("\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", CFI),
		BAD("\x0e\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", CFI), BAD("\x0f\x00", CFI),
		/* No value was the last; + of nothing; + of what? */
		BAD("\x0f\x01\x22", CFI), BAD("\x0f\x04\x77\x08\x06\x23", CFI),
		/* CFA of an xmm; large numbers; skip; addr; 17 values. */
		BAD("\x3f", UNKNOWN), BAD("\x2d", UNKNOWN), BAD("\x0c\x11\x08", UNKNOWN),
		BAD("\x0e\xff\xff\xff\xff\x7f", UNKNOWN), BAD("\x0f\x04\x77\x08\x2f\x00", UNKNOWN),
		BAD("\x05\x10\xff\xff\xff\xff\x7f", UNKNOWN), BAD("\x0f\x01\x03", UNKNOWN),
		BAD("\x0f\x11\x30\x30\x30\x30\x30\x30\x30\x30\x30\x30\x30\x30\x30\x30\x30\x30\x30", UNKNOWN),
		BAD("\x0a\x0a\x0a\x0a\x0a\x0a\x0a", ROWS), BAD("\x0c\x07\x00", MEMORY),
		BAD("\x0c\x08\x00", BACKWARDS), BAD("\x09\x10\x20", REGISTER),
		BAD("\x09\x07\x20", REGISTER), BAD("\x07\x07", REGISTER),
		BAD("\x0f\x02\x8f\x00", REGISTER),
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		function_is(bad[i].ops, bad[i].n);
		if (bad[i].end == PROFIL_END_MEMORY)
			image_registers(&image, FUNCTION(1), IMAGE_STACK, 0);
		assert_walk(1, bad[i].end);
		/* And what is before the pc only. */
	}
	FUNCTION_IS("\x0a\x0a\x0a\x0a\x0a\x0a");
	assert_walk(2, PROFIL_END_OUTERMOST);
	FUNCTION_IS("\x4b\x3f");
	assert_walk(2, PROFIL_END_OUTERMOST);
}

/* Each operand that names any register, or leads to another row. Only sanitized builds count. */
TEST(indexes_are_clamped_against_speculation)
{
#ifdef NOSPEC_COUNTED
	static const struct { const char *ops; size_t n; u32 more; } operations[] = {
		{ OPS(""), 0 },
		{ OPS("\x05\x03\x03"), 1 },			/* offset_extended */
		{ OPS("\x06\x03"), 1 },			/* restore_extended */
		{ OPS("\x0a\x0b"), 1 },			/* restore_state */
		{ OPS("\x09\x03\x02"), 2 },			/* register */
		{ OPS("\x16\x03\x02\x72\x00"), 3 },		/* val_expression */
	};
	u32 none = 0, calls;

	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		function_is(operations[i].ops, operations[i].n);
		calls = nospec_calls;
		assert_walk(2, PROFIL_END_OUTERMOST);
		calls = nospec_calls - calls;
		if (!i)
			none = calls;
		assert_int_equal(calls - none, operations[i].more);
	}
#endif
}

/* The first FDE of a CIE would find them, and the next one would not. */
TEST(an_fde_cannot_restore_a_row_of_its_cie)
{
	for (int i = 0; i < 2; i++) {
		image_init(&image);
		image_cie(&image, "zR", OPS(CIE "\x0a"));
		image_function(&image, OPS("\x0e\x10\x0b"));
		image_function(&image, OPS(""));
		image_registers(&image, FUNCTION(i), WORD(8), 0);
		image.stack[8] = FUNCTION(0) + 20;
		assert_walk(1 + i, PROFIL_END_CFI);
	}
}

/* A function's CIE, and that of its caller, which calls from function 0. */
static u32 walk_cies(const char *letters, const char *ops, size_t n, const char *of_caller, size_t m)
{
	image_init(&image);
	image_cie(&image, letters, of_caller, m);
	image_function(&image, OPS(OUTERMOST));
	image_function(&image, OPS(""));
	image_cie(&image, letters, ops, n);
	image_function(&image, OPS(""));
	image_registers(&image, FUNCTION(2), WORD(8), 0);
	image.stack[8 + (ops[n - 1] == 0x10)] = FUNCTION(1) + 20;
	image.stack[9 + (ops[n - 1] == 0x10) + (of_caller[m - 1] == 0x10)] = FUNCTION(0) + 20;
	return image_walk(&image, pc, PROFIL_STACK_FRAMES);
}

/* These are CIEs of 24 and 44 bytes. The last byte is how far the CFA is from rsp. */
TEST(a_cie_is_the_last_one_if_it_has_its_bytes)
{
#define SHORT	CIE "\x0e"
#define LONG	CIE "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0e"
	u32 same;

	assert_int_equal(walk_cies("zR", OPS(SHORT "\x08"), OPS(SHORT "\x08")), 3);
	same = image.reads;
	assert_int_equal(walk_cies("zR", OPS(SHORT "\x08"), OPS(SHORT "\x10")), 3);
	assert_true(image.reads > same);
	assert_int_equal(walk_cies("zR", OPS(LONG "\x08"), OPS(LONG "\x10")), 3);
	/* A long one is between two that are the same. */
	assert_int_equal(walk_cies("zR", OPS(LONG "\x10"), OPS(SHORT "\x08")), 3);
	image_registers(&image, FUNCTION(2), WORD(8), 0);
	assert_walk(3, PROFIL_END_OUTERMOST);
	/* Nor is it one that made no sense. */
	walk_cies("zX", OPS(SHORT "\x08"), OPS(SHORT "\x08"));
	image_registers(&image, FUNCTION(1), WORD(8), 0);
	assert_walk(1, PROFIL_END_UNKNOWN);
}

/* Bytes of the last function's entry, or of its CIE, overwritten. */
TEST(entries_that_are_none)
{
	static const struct { bool in_cie; u32 at; char bytes[10]; u32 n, end; } bad[] = {
#define ENTRY(at, bytes, why)	{ false, at, bytes, sizeof(bytes) - 1, PROFIL_END_##why }
#define ENTRY_OF_CIE(at, bytes, why)	{ true, at, bytes, sizeof(bytes) - 1, PROFIL_END_##why }
		/* An end; of 64 bits; short; a CIE; of nothing; of one byte. */
		ENTRY(0, "\0\0\0\0", CFI), ENTRY(0, "\xff\xff\xff\xff", UNKNOWN),
		ENTRY(0, "\x05\0\0\0", CFI), ENTRY(4, "\0\0\0\0", CFI),
		ENTRY(4, "\xff\xff\xff\x7f", MEMORY), ENTRY(12, "\x01\0\0\0", NO_ROW),
		/* No CIE; version; RA; long data, too short; indirect; aligned; steps of 4 GiB. */
		ENTRY_OF_CIE(4, "\1", CFI), ENTRY_OF_CIE(8, "\2", UNKNOWN),
		ENTRY_OF_CIE(14, "\x0f", UNKNOWN), ENTRY_OF_CIE(15, "\x7f", CFI),
		ENTRY_OF_CIE(15, "\x00", CFI), ENTRY_OF_CIE(16, "\x9b", UNKNOWN),
		ENTRY_OF_CIE(16, "\x50", UNKNOWN), ENTRY_OF_CIE(12, "\x80\x80\x80\x80\x10\x78\x10\x01\x1b", UNKNOWN),
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		u32 fde;

		FUNCTION_IS("");
		image.stack[8] = 7;
		memcpy(&fde, image.data + 12 + 8 + 4, 4);
		memcpy(image.data + (bad[i].in_cie ? image.cie : fde) + bad[i].at,
		       bad[i].bytes, bad[i].n);
		assert_walk(1, bad[i].end);
	}
}

/* So many bytes, with those of the CIE, and of what is read ahead. */
TEST(operations_of_a_frame_are_bounded)
{
	static char ops[PROFIL_CFI_OPS];
	u32 n, most = 0;

	for (n = PROFIL_CFI_OPS - 400; n < PROFIL_CFI_OPS; n += 10) {
		/* What is behind the pc does not count. */
		memset(ops, 0, sizeof(ops));
		ops[n - 1] = 0x4b;
		function_is(ops, n);
		image_walk(&image, pc, PROFIL_STACK_FRAMES);
		if (image.walk.end == PROFIL_END_OUTERMOST)
			most = n;
		else
			assert_int_equal(image.walk.end, PROFIL_END_OPS);
	}
	assert_in_range(most, PROFIL_CFI_OPS - 200, PROFIL_CFI_OPS);
}

/* The second as from a signal's frame to what it has interrupted, and on. */
TEST(work_of_a_walk_is_bounded)
{
	static char nops[PROFIL_CFI_OPS - 400];

	for (int goes_on = 0; goes_on < 2; goes_on++) {
		u32 frames = goes_on;

		image_init(&image);
		image_cie(&image, "zR", OPS(CIE));
		image_function(&image, nops, sizeof(nops));
		image_registers(&image, FUNCTION(0), WORD(0), 0);
		for (u32 i = 0; i < IMAGE_WORDS; i++)
			image.stack[i] = FUNCTION(0) + 1;
		if (goes_on) {
			profil_unwind_begin(&image.walk);
			assert_int_equal(profil_unwind_next(&image.walk), PROFIL_END_NONE);
			frames += profil_unwind_on(&image.walk, pc, PROFIL_STACK_FRAMES);
		} else {
			frames = image_walk(&image, pc, PROFIL_STACK_FRAMES);
			assert_in_range(image.walk.steps, 0, PROFIL_CFI_WINDOW);
		}
		assert_int_equal(image.walk.end, PROFIL_END_STEPS);
		assert_int_equal(frames, PROFIL_UNWIND_STEPS / PROFIL_CFI_OPS + 1);
		assert_in_range(image.reads, 1, PROFIL_UNWIND_STEPS);
	}
}

TEST(frames_are_bounded)
{
	FUNCTION_IS("");
	for (u32 i = 0; i < IMAGE_WORDS; i++)
		image.stack[i] = FUNCTION(1) + 1;
	assert_walk(PROFIL_STACK_FRAMES, PROFIL_END_FRAMES);
	for (u32 most = 1; most <= 2; most++) {
		FUNCTION_IS("");
		assert_int_equal(image_walk(&image, pc, most), most);
		assert_int_equal(image.walk.end, most == 1 ? PROFIL_END_FRAMES : PROFIL_END_OUTERMOST);
	}
	/* Signal frames need not go up: they may go round. */
	image_init(&image);
	image_cie(&image, "zRS", OPS("\x0c\x07\x00\x90\x01"));
	image_function(&image, OPS(""));
	image_registers(&image, FUNCTION(0), WORD(8), 0);
	image.stack[7] = FUNCTION(0);
	assert_walk(PROFIL_STACK_FRAMES, PROFIL_END_FRAMES);
}

TEST(the_callers_frame_is_above)
{
	/* Off the stack already, and in rdi: vfork's. */
	FUNCTION_IS("\x0e\x00\x09\x10\x05");
	image.walk.regs.reg[5] = FUNCTION(0) + 20;
	assert_walk(2, PROFIL_END_OUTERMOST);
	/* What has called has a return address on the stack. */
	for (int i = 0; i < 2; i++) {
		if (i)
			FUNCTION_IS("\x0e\x00");
		image_function(&image, OPS(""));
		image_registers(&image, FUNCTION(2), WORD(8), 0);
		image.stack[8] = FUNCTION(1) + 4;
		assert_walk(2, i ? PROFIL_END_BACKWARDS : PROFIL_END_REGISTER);
	}
}

/* Rules that are kept. */

#define MOST_SETS	4
static struct profil_rule kept_rule[MOST_SETS * PROFIL_RULE_WAYS];
static struct profil_rules rules[1] = { { .rule = kept_rule } };

/* A function, and a walk that keeps rules in so many sets. */
static void keep_rules(u32 sets, const char *ops, size_t n)
{
	memset(kept_rule, 0, sizeof(kept_rule));
	rules->generation = 0;
	rules->mask = sets - 1;
	function_is(ops, n);
	image.walk.rules = rules;
}

TEST(a_rule_is_kept_for_its_generation)
{
	keep_rules(4, OPS(""));
	assert_walk(2, PROFIL_END_OUTERMOST);
	assert_in_range(image.reads, 5, 20);
	image_registers(&image, FUNCTION(1) + 10, WORD(8), 0);
	assert_walk(2, PROFIL_END_OUTERMOST);
	assert_int_equal(image.reads, 1);
	image.objects.generation++;
	image.objects.n = 0;
	image_registers(&image, FUNCTION(1) + 10, WORD(8), 0);
	assert_walk(1, PROFIL_END_NO_OBJECT);
}

/* In one set: the oldest goes. More sets are asked for, and get the rules. */
TEST(a_set_keeps_the_last_rules)
{
	static struct profil_rule copy[2 * PROFIL_RULE_WAYS];
	struct profil_rules more = { .mask = 1, .rule = copy };

	/* Six rows, of a byte each. */
	keep_rules(1, OPS("\x41\x0e\x10\x41\x0e\x18\x41\x0e\x20\x41\x0e\x28\x41\x0e\x30"));
	rules->losses = 2;
	for (u32 i = 0; i < PROFIL_RULE_WAYS + 2; i++) {
		image_registers(&image, FUNCTION(1) + i, WORD(8), 0);
		image_walk(&image, pc, 1);
		assert_int_equal(image.walk.grow, i == PROFIL_RULE_WAYS + 1);
	}
	for (u32 i = 0; i < PROFIL_RULE_WAYS; i++)
		assert_int_equal(rules->rule[i].start, FUNCTION(1) + 2 + i);
	profil_rules_copy(&more, rules);
	assert_int_equal(more.generation, image.objects.generation);
	assert_memory_equal(profil_rule_set(&more, FUNCTION(1)), rules->rule, profil_rules_bytes(1));
}

/* A rule is for all of its row, and for no other pc. */
TEST(a_rule_is_for_a_row)
{
	/* The row in the middle is of 16 bytes. */
	keep_rules(4, OPS("\x48\x0e\x10\x50\x0e\x18"));
	image_registers(&image, FUNCTION(1) + 12, WORD(8), 0);
	image_walk(&image, pc, 1);
	for (u32 at = 0; at < 32; at++) {
		u32 words = at < 8 ? 0 : at < 24 ? 1 : 2;
		struct profil_rule kept[MOST_SETS * PROFIL_RULE_WAYS];

		memcpy(kept, kept_rule, sizeof(kept));
		memset(image.stack, 0, sizeof(image.stack));
		image.stack[8 + words] = FUNCTION(0) + 20;
		image_registers(&image, FUNCTION(1) + at, WORD(8), 0);
		assert_walk(2, PROFIL_END_OUTERMOST);
		assert_true(!memcmp(kept, kept_rule, sizeof(kept)) || words != 1);
	}
}

/* Rows go on, rules do not: the next pcs are looked for elsewhere. */
TEST(a_rule_ends_with_its_span)
{
	keep_rules(1, OPS(""));
	image_registers(&image, FUNCTION(1) + PROFIL_RULE_SPAN + 5, WORD(8), 0);
	image_walk(&image, pc, 1);
	assert_int_equal(rules->rule[0].start, FUNCTION(1) + PROFIL_RULE_SPAN);
	assert_int_equal(rules->rule[0].bytes, PROFIL_RULE_SPAN);
	image_registers(&image, FUNCTION(1) + FUNCTION_BYTES - 1, WORD(8), 0);
	image_walk(&image, pc, 1);
	assert_int_equal(rules->rule[1].start + rules->rule[1].bytes, FUNCTION(1) + FUNCTION_BYTES);
	/* The next row is at an address below. */
	keep_rules(1, OPS("\x01\x01\x00\xe0\xff"));
	image_walk(&image, pc, 1);
	assert_int_equal(rules->rule[0].bytes, 11);
}

TEST(nothing_is_kept_of_what_is_not_there)
{
	keep_rules(1, OPS("\x3f"));
	assert_walk(1, PROFIL_END_UNKNOWN);
	assert_int_equal(rules->rule[0].bytes, 0);
	/* The CFA is *(rsp+8), and something that ends before it says what. */
	FUNCTION_IS("\x0f\x04\x77\x08\x06\x23");
	image.walk.rules = rules;
	image.stack[9] = WORD(9);
	assert_walk(1, PROFIL_END_CFI);
	assert_int_equal(rules->rule[0].bytes, 0);
}

/* unwind.h says so. Sanitizers have frames of their own. */
TEST(a_walk_takes_1_5_KiB_of_stack)
{
	u64 bytes;

#ifdef __SANITIZE_ADDRESS__
	return;
#endif
	/* An expression in the CIE, and a number of two bytes in it. */
	image_init(&image);
	image_cie(&image, "zR", OPS("\x0f\x04\x77\x88\x80\x00\x90\x01"));
	image_function(&image, OPS("\x10\x03\x05\x77\x80\x80\x80\x00"));
	image_registers(&image, FUNCTION(0), WORD(8), 0);
	image_walk(&image, pc, PROFIL_STACK_FRAMES);
	bytes = image.outside - image.deepest + sizeof(struct profil_unwind);
	print_message("# %llu bytes of stack, %zu of them struct profil_unwind\n",
		      bytes, sizeof(struct profil_unwind));
	assert_in_range(bytes, sizeof(struct profil_unwind), 1536);
}

UNIT_MAIN("unwind", NULL, NULL, NULL, NULL)

// SPDX-License-Identifier: LGPL-2.1-or-later
/* What walks find on arm64 alone: links, signed addresses, records, and frames of signals. */
#include "unwind_image.h"
#include "unit.h"

#define SIGNED(pc)	((pc) | 0x35ULL << 48)

enum { OUTERMOST, LEAF, RECORD, SIGNS, LINK, FUNCTIONS };

#define CALLED(function) (FUNCTION(function) + 0x44)
#define PLT		(FUNCTION(OUTERMOST) + 32)
#define RETURN(function) SIGNED(FUNCTION(function) + 20)
/* Behind functions is what handlers return to. */
#define TRAMPOLINE	(FUNCTION(LINK) + FUNCTION_BYTES + 8)
#define BARE		FUNCTION(FUNCTIONS + 1)
#define MADE_CODE	(IMAGE_END + 0x1000)

static struct image image;
static u64 pc[PROFIL_STACK_FRAMES];

/* At @at, whose link is @link, with a record in words 8 and 9, and the next in 20 and 21. */
static void frames_are(u64 at, u64 link, u64 first, u64 second)
{
	image_init(&image);
	image_cie(&image, "zRB", OPS(CIE));
	image_function(&image, OPS("\x07\x1e"));
	image_function(&image, OPS("\x0e\x10"));
	image_function(&image, OPS("\x0e\x20\x9d\x04\x9e\x03"));
	image_function(&image, OPS("\x2d\x0a\x2c\x0b\x2b\x01\x00"));
	image_function(&image, OPS("\x0e\x20\x9e\x02"));
	image_registers(&image, at, WORD(at == FUNCTION(LEAF) ? 6 : 8), WORD(8));
	image.walk.regs.reg[PROFIL_COLUMN_RA] = link;
	memcpy(&image.stack[8], (u64[]) { WORD(20), first }, 16);
	memcpy(&image.stack[20], (u64[]) { 0, second }, 16);
}

/* At @sp: a leaf was interrupted. */
static void signal_frame(u32 sp)
{
	image.stack[sp + 39 + 30] = RETURN(OUTERMOST);
	image.stack[sp + 39 + 31] = WORD(200);
	image.stack[sp + 39 + 32] = FUNCTION(LEAF) + 12;
}

static void assert_walk(u32 frames, enum profil_unwind_end end, bool guessed)
{
	assert_int_equal(image_walk(&image, pc, PROFIL_STACK_FRAMES), frames);
	assert_int_equal(image.walk.end, end);
	assert_int_equal(image.walk.guessed, guessed);
}

TEST(a_link_is_of_the_innermost_frame)
{
	frames_are(FUNCTION(LEAF), RETURN(RECORD), RETURN(OUTERMOST), 0);
	assert_walk(3, PROFIL_END_OUTERMOST, false);
	assert_int_equal(pc[1], FUNCTION(RECORD) + 19);
	frames_are(FUNCTION(LEAF), RETURN(RECORD), RETURN(LEAF), 0);
	assert_walk(3, PROFIL_END_REGISTER, false);
}

TEST(ways_to_sign_a_return_address_make_no_difference)
{
	frames_are(FUNCTION(SIGNS), RETURN(OUTERMOST), 0, 0);
	assert_walk(2, PROFIL_END_OUTERMOST, false);
}

TEST(a_handler_returns_to_code_without_a_row)
{
	frames_are(FUNCTION(RECORD), 0, TRAMPOLINE, 0);
	signal_frame(12);
	assert_walk(4, PROFIL_END_OUTERMOST, false);
	assert_int_equal(pc[2], FUNCTION(LEAF) + 12);
	/* Before its system call, or in it. */
	for (u32 at = 0; at <= 8; at += 4) {
		frames_are(TRAMPOLINE + at, 0, 0, 0);
		signal_frame(8);
		assert_walk(3, PROFIL_END_OUTERMOST, false);
	}
}

/* A record does not say where the caller's stack ends; the caller's own record may. */
TEST(a_frame_pointer_does_not_lead_to_the_stack_pointer)
{
	frames_are(MADE_CODE, 0, RETURN(RECORD), RETURN(OUTERMOST));
	assert_walk(3, PROFIL_END_OUTERMOST, true);
	frames_are(MADE_CODE, 0, TRAMPOLINE, 0);
	/* Local variables: the words of a handler of a former signal. */
	signal_frame(10);
	assert_walk(2, PROFIL_END_REGISTER, true);
}

/* Without tables, functions call the one before them, and then @saving is their first word. */
static void assert_link(u64 at, u64 link, u64 saved, u32 saving, u32 frames)
{
	static const u32 bl = 0x97ffffb0, plt[] = { 0x90000010, 0xf9400611, 0x91002210, 0xd61f0220 };

	frames_are(at, SIGNED(link), SIGNED(saved), 0);
	image.object.eh_frame_hdr = 0;
	for (u64 i = RECORD; i <= SIGNS; i++) {
		memcpy(image.text + (FUNCTION(i) - IMAGE_TEXT), &saving, sizeof(saving));
		memcpy(image.text + (CALLED(i) - 4 - IMAGE_TEXT), &bl, sizeof(bl));
	}
	memcpy(image.text + (PLT - IMAGE_TEXT), plt, sizeof(plt));
	assert_walk(frames, PROFIL_END_NO_TABLE, true);
	assert_int_equal(pc[1], (frames == 3 ? link : saved) - 1);
}

TEST(a_link_is_of_a_function_that_has_not_called)
{
	static const u32 saving[] = { 0xa9bf7bfd, 0xa90153fe, 0xf81f0ffe, 0xf90007fe };
	u64 saved = CALLED(OUTERMOST);

	for (u32 i = 0; i < 4; i++) {
		assert_link(FUNCTION(LEAF) + 4, CALLED(RECORD), saved, saving[i], 3);
		/* In a loop; and saved, too. */
		assert_link(FUNCTION(RECORD) + 4, CALLED(RECORD), saved, saving[i], 2);
		assert_link(FUNCTION(RECORD) + 4, CALLED(SIGNS), CALLED(SIGNS), saving[i], 2);
	}
	/* By a jump, in a function that begins far before. */
	assert_link(PLT + 8, CALLED(LEAF), saved, 0, 3);
}

/* It pushes the link, which stays in its register. The caller has no record. */
TEST(the_plts_header_keeps_the_link)
{
	static const u32 plt[] = { 0xa9bf7bf0, 0x90000010, 0xf9400611, 0x91002210, 0xd61f0220 };

	for (u32 i = 0; i < ARRAY_SIZE(plt); i++) {
		frames_are(BARE + 4 * i, SIGNED(CALLED(LINK)), 0, 0);
		image.walk.regs.reg[PROFIL_REG_SP] = WORD(i ? 6 : 8);
		image.stack[10] = RETURN(OUTERMOST);
		memcpy(image.text + (BARE - IMAGE_TEXT), plt, sizeof(plt));
		assert_walk(3, PROFIL_END_OUTERMOST, true);
	}
}

/* Of a function without a row, whose caller has no record. */
TEST(a_stack_pointer_that_has_moved_is_the_callers_only_if_code_says_how_far)
{
	static const u32 nop = 0xd503201f, sub = 0xd10083ff, add = 0x910083ff, ret = 0xd65f03c0;
	/* stp x29, x30, [sp, #-32]!; stp d8, d9, [sp, #-32]!; str x30, [sp, #-32]!; sub sp, sp, x1 */
	static const u32 stp = 0xa9be7bfd, stp_d = 0x6dbe27e8, str = 0xf81e0ffe, sub_x1 = 0xcb2163ff;
	static const struct { u32 code[3], at; bool moved, known; } cases[] = {
		{ { nop }, 1, false, true }, { { nop, stp }, 2, true, true },
		{ { stp_d }, 1, true, true }, { { str }, 1, true, true },
		{ { sub, nop }, 2, true, true }, { { sub, add, ret }, 2, false, true },
		{ { sub, add }, 2, false, false }, { { sub, ret }, 2, true, false },
		{ { sub_x1 }, 1, true, false }, { { ret, nop }, 2, false, false },
		/* brk #1; udf #1; st1 { v0.16b }, [sp], #16; ld1 { v0.b }[0], [sp], x1; stg sp, [sp], #16 */
		{ { 0xd4200020, nop }, 2, false, false }, { { 1, nop }, 2, false, false },
		{ { 0x4c9f73e0 }, 1, false, false }, { { 0x0dc103e0 }, 1, false, false },
		{ { 0xd92017ff }, 1, false, false }, { { 0x4c0073e0 }, 1, false, true },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 bl = 0x94000000 | (BARE - (CALLED(LINK) - 4)) / 4;

		frames_are(BARE + 4 * cases[i].at, SIGNED(CALLED(LINK)), 0, 0);
		image.walk.regs.reg[PROFIL_REG_SP] = WORD(cases[i].moved ? 4 : 8);
		image.walk.regs.reg[PROFIL_REG_FP] = WORD(20);
		image.stack[10] = RETURN(OUTERMOST);
		memcpy(image.text + (CALLED(LINK) - 4 - IMAGE_TEXT), &bl, sizeof(bl));
		memcpy(image.text + (BARE - IMAGE_TEXT), cases[i].code, sizeof(cases[i].code));
		assert_walk(cases[i].known ? 3 : 2, cases[i].known ? PROFIL_END_OUTERMOST :
						    PROFIL_END_REGISTER, true);
	}
}

UNIT_MAIN("unwind on arm64", NULL, NULL, NULL, NULL)

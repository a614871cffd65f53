// SPDX-License-Identifier: LGPL-2.1-or-later
/* What walks find on riscv64 alone: links in code without tables, and frames of signals. */
#include "unwind_image.h"
#include "unit.h"

enum { OUTERMOST, LEAF, CALLER, FUNCTIONS };
/* Behind functions is what handlers return to. */
#define TRAMPOLINE	FUNCTION(FUNCTIONS)

static struct image image;
static u64 pc[PROFIL_STACK_FRAMES], fp = 1;

static void code_is(u64 at, u64 two)
{
	memcpy(image.text + (at - IMAGE_TEXT), &two, sizeof(two));
}

static void assert_walk(u64 at, u64 link, u32 frames, enum profil_unwind_end end)
{
	image_registers(&image, at, WORD(8), fp);
	image.walk.regs.reg[PROFIL_COLUMN_RA] = link;
	assert_int_equal(image_walk(&image, pc, PROFIL_STACK_FRAMES), frames);
	assert_int_equal(image.walk.end, end);
}

/* CALLER has saved its link in its first instruction, and calls LEAF in a loop. */
TEST(a_link_is_of_a_function_that_has_not_called)
{
	static const u64 saving[] = { 0x00000013ULL << 32 | 0x00113c23, 0x00010001ec06 };
	u64 back = FUNCTION(CALLER) + 0x48;

	for (u32 i = 0; i < 2; i++) {
		image_init(&image);
		image.object.eh_frame_hdr = 0;
		code_is(FUNCTION(CALLER), saving[i]);
		/* jal LEAF */
		code_is(back - 8, 0xebdff0efULL << 32 | 0x00000013);
		assert_walk(FUNCTION(LEAF) + 8, back, 2, PROFIL_END_NO_TABLE);
		assert_int_equal(pc[1], back - 1);
		assert_walk(FUNCTION(CALLER) + 0x20, back, 1, PROFIL_END_NO_TABLE);
		assert_walk(FUNCTION(CALLER) + 0x60, back, 1, PROFIL_END_NO_TABLE);
	}
	/* It has a frame, with the link or without. */
	fp = WORD(12);
	image.stack[19] = FUNCTION(OUTERMOST) + 20;
	for (u32 i = 10; i < 12; i++) {
		image.stack[11] = back;
		image.stack[i] = WORD(20);
		assert_walk(FUNCTION(LEAF) + 8, back, 3, PROFIL_END_NO_TABLE);
		assert_int_equal(pc[2], FUNCTION(OUTERMOST) + 19);
	}
	fp = 1;
	/* The PLT's header: an entry, which was called, jumps to it. */
	code_is(FUNCTION(LEAF) - 32, 0x41c30333ULL << 32 | 0x2397);
	for (u32 i = 0; i < 32; i += 4)
		assert_walk(FUNCTION(LEAF) - 32 + i, back, 2, PROFIL_END_NO_TABLE);
	code_is(FUNCTION(LEAF) - 32, 0x41c30333ULL << 32 | 0x2317);
	assert_walk(FUNCTION(LEAF) - 32, back, 1, PROFIL_END_NO_TABLE);
	code_is(FUNCTION(LEAF) - 32, 0x41c30313ULL << 32 | 0x2397);
	assert_walk(FUNCTION(LEAF) - 32, back, 1, PROFIL_END_NO_TABLE);
}

/* "li a7, 139; ecall", also in the system call. They have interrupted a function's first word. */
TEST(a_handler_returns_by_its_code)
{
	image_init(&image);
	image_cie(&image, "zR", OPS(CIE));
	image_function(&image, "\x07\x01", 2);
	image_function(&image, "", 0);
	code_is(TRAMPOLINE, 0x73ULL << 32 | 0x08b00893);
	image.stack[46] = FUNCTION(LEAF);
	image.stack[47] = FUNCTION(OUTERMOST) + 20;
	image.stack[48] = WORD(100);
	for (u64 at = TRAMPOLINE; at <= TRAMPOLINE + 8; at += 4) {
		assert_walk(at, 0, 3, PROFIL_END_OUTERMOST);
		assert_int_equal(pc[1], FUNCTION(LEAF));
	}
	assert_walk(FUNCTION(LEAF) + 4, TRAMPOLINE, 4, PROFIL_END_OUTERMOST);
	assert_walk(FUNCTION(LEAF) + 4, TRAMPOLINE + 4, 1, PROFIL_END_NO_ROW);
}

/* glibc's makecontext() begins a stack with s0 = 0, and code whose row has ra in s0. */
TEST(a_return_address_of_0_ends_the_stack)
{
	image_init(&image);
	image_cie(&image, "zR", OPS(CIE));
	image_function(&image, "\x09\x01\x08", 3);
	image_function(&image, "", 0);
	for (fp = 0; fp < 2; fp++)
		assert_walk(FUNCTION(LEAF) + 4, FUNCTION(OUTERMOST) + 20, 2,
			    fp ? PROFIL_END_BACKWARDS : PROFIL_END_OUTERMOST);
}

UNIT_MAIN("unwind on riscv64", NULL, NULL, NULL, NULL)

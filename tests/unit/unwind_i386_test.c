// SPDX-License-Identifier: LGPL-2.1-or-later
/* What walks find in 32-bit x86 code alone: addresses of four bytes. */
#include "unwind_image.h"
#include "unit.h"

static struct image image;
static u64 pc[PROFIL_STACK_FRAMES];

/* Function 1 has these operations, and 0 has called it. Without letters, FDEs have addresses. */
static void assert_called(const char *letters, const char *ops, size_t n)
{
	image_init(&image);
	image_cie(&image, letters, OPS(CIE));
	image_function(&image, OPS("\x07\x08"));
	image_function(&image, ops, n);
	for (u32 i = 0; !*letters && i < 2; i++) {
		u32 range[] = { FUNCTION(i), FUNCTION_BYTES }, fde;

		memcpy(&fde, image.data + 16 + 8 * i, sizeof(fde));
		memcpy(image.data + fde + 8, range, sizeof(range));
	}
	image_registers(&image, FUNCTION(1) + 10, WORD(8), 0);
	image.stack[8] = FUNCTION(0) + 20;
	assert_int_equal(image_walk(&image, pc, PROFIL_STACK_FRAMES), 2);
	assert_int_equal(image.walk.end, PROFIL_END_OUTERMOST);
	assert_int_equal(image.walk.regs.reg[PROFIL_REG_SP], WORD(9));
}

/* CFA is esp + 8 + 0xfffffffc; esp - 0xfffffffc; esp + 4 + (-1 >= 0). */
TEST(addresses_wrap_at_4_GiB)
{
	assert_called("zR", OPS("\x0f\x08\x74\x08\x0c\xfc\xff\xff\xff\x22"));
	assert_called("zR", OPS("\x0f\x08\x74\x00\x0c\xfc\xff\xff\xff\x1c"));
	assert_called("zR", OPS("\x0f\x0a\x74\x04\x0c\xff\xff\xff\xff\x30\x2a\x22"));
}

CASE(addresses_in_tables_have_four_bytes, assert_called("", OPS("")))

/* Below argc, argv and a null pointer, which are at @at; the linker's constructors know where. */
static void assert_linker_begins(u32 at)
{
	image_init(&image);
	image.object.eh_frame_hdr = 0;
	image_registers(&image, FUNCTION(1), WORD(8), 0);
	image.stack[12] = WORD(at);
	memcpy(&image.stack[at], (u32[]) { 1, WORD(99), 0 }, 12);
	assert_int_equal(image_walk(&image, pc, PROFIL_STACK_FRAMES), 1);
	assert_int_equal(image.walk.end, PROFIL_END_OUTERMOST);
	/* The texts of arguments are further above: this is a call with 1, &x and NULL. */
	image.stack[at + 1] = WORD(at + 3);
	image_registers(&image, FUNCTION(1), WORD(8), 0);
	assert_true(image_walk(&image, pc, 9) == 1 && image.walk.end != PROFIL_END_OUTERMOST);
}

/* Behind function 0, which has called it. A call of the PLT, in function 3, is left over; %ebx is 3. Then a ret; *n. */
TEST(a_call_of_the_plt_is_of_the_function_in_its_slot)
{
	for (u32 here = 0; here < 5; here++) {
		assert_called("zR", OPS(""));
		image_function(&image, OPS(""));
		image_function(&image, OPS(""));
		image_registers(&image, FUNCTION(0) + FUNCTION_BYTES + 4, WORD(8), WORD(20));
		image.stack[43] = here % 2 ? FUNCTION(0) + FUNCTION_BYTES : FUNCTION(2);
		memcpy(image.text + (FUNCTION(0) + FUNCTION_BYTES + 4 - IMAGE_TEXT),
		       here == 2 ? "\xc2\4\0\0" : here == 4 ? "\x83\xc4\4\xc3" : "\x90\x90\x90\x90", 4);
		image.stack[here == 4 ? 9 : 8] = FUNCTION(1) + 80;
		memcpy(image.stack + 20, (u32[]) { WORD(30), FUNCTION(0) + 20 }, 8);
		memcpy(image.text + (FUNCTION(0) + 15 - IMAGE_TEXT), "\xe8\xdc\0\0\0", 5);
		memcpy(image.text + (FUNCTION(1) + 75 - IMAGE_TEXT), "\xe8\xb0\1\0\0", 5);
		memcpy(image.text + (FUNCTION(3) - IMAGE_TEXT), here == 3 ? "\xff\x25\xac\0\x80\xff" : "\xff\xa3\xa9\0\x80\xff", 6);
		image_walk(&image, pc, PROFIL_STACK_FRAMES);
		assert_int_equal(pc[1], here ? FUNCTION(1) + 79 : FUNCTION(0) + 19);
	}
}

CASE(the_linkers_first_function_ends_a_stack, assert_linker_begins(12); assert_linker_begins(20))

UNIT_MAIN("unwind on i386", NULL, NULL, NULL, NULL)

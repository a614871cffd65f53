// SPDX-License-Identifier: LGPL-2.1-or-later
/* What walks find in 32-bit x86 code alone: addresses of four bytes. */
#include "unwind_image.h"
#include "unit.h"

#define OPS(s)		(s), sizeof(s) - 1

static struct image image;
static u64 pc[PROFIL_STACK_FRAMES];

/* Function 1 has these operations, and 0 has called it. */
static void functions_are(const char *letters, const char *ops, size_t n)
{
	image_init(&image);
	image_cie(&image, letters, OPS(CIE_I386));
	image_function(&image, OPS("\x07\x08"));
	image_function(&image, ops, n);
	image_registers(&image, FUNCTION(1) + 10, WORD(8), 0);
	image.stack[8] = FUNCTION(0) + 20;
}

static void assert_called_by_0(void)
{
	assert_int_equal(image_walk(&image, pc, PROFIL_STACK_FRAMES), 2);
	assert_int_equal(image.walk.end, PROFIL_END_OUTERMOST);
	assert_int_equal(image.walk.regs.reg[PROFIL_REG_SP], WORD(9));
}

TEST(addresses_wrap_at_4_GiB)
{
	/* CFA is esp + 8 + 0xfffffffc; esp - 0xfffffffc; esp + 4 + (-1 >= 0). */
	static const char ops[3][13] = {
		"\x0f\x08\x74\x08\x0c\xfc\xff\xff\xff\x22", "\x0f\x08\x74\x00\x0c\xfc\xff\xff\xff\x1c",
		"\x0f\x0a\x74\x04\x0c\xff\xff\xff\xff\x30\x2a\x22",
	};

	for (u32 i = 0; i < 3; i++) {
		functions_are("zR", ops[i], sizeof(ops[i]));
		assert_called_by_0();
	}
}

TEST(addresses_in_tables_have_four_bytes)
{
	functions_are("", OPS(""));
	for (u32 i = 0; i < 2; i++) {
		u32 range[] = { FUNCTION(i), FUNCTION_BYTES }, fde;

		memcpy(&fde, image.data + 16 + 8 * i, sizeof(fde));
		memcpy(image.data + fde + 8, range, sizeof(range));
	}
	assert_called_by_0();
}

UNIT_MAIN("unwind on i386", NULL, NULL, NULL, NULL)

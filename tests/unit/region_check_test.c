// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is a region and what is not: each bad request here is a good one with
 * one thing wrong.
 */
#include <errno.h>
#include <stdlib.h>

#include <linux/limits.h>

#include "region_reference.h"
#include "unit.h"

/* Counters of 4 MiB of text, 2 bytes for 4. */
static const struct profil_region good = {
	.buf		= 0x7f0000001000,
	.size		= 0x200000,
	.offset		= 0x401000,
	.pc_start	= 0x401000,
	.pc_end		= 0x801000,
	.limit		= 32767,
	.scale		= 0x8000,
	.width		= 2,
	.index		= PROFIL_INDEX_BYTE_DOWN,
	.at_limit	= PROFIL_LIMIT_STOP,
	.on_fault	= PROFIL_FAULT_STOP_ALL,
};

static const struct profil_region good_catch_all = {
	.buf		= 0x7f0000001000,
	.size		= 4,
	.width		= 4,
	.flags		= PROFIL_REGION_CATCH_ALL,
};

static void assert_checked(const struct profil_region *r, int want)
{
	assert_int_equal(profil_region_check(r), want);
	assert_int_equal(profil_regions_check(r, 1, no_pause), want);
	assert_int_equal(reference_valid(r, 1), want == 0);
}

/* A good region with one field changed. */
#define WITH(field, value)	({					\
	struct profil_region with_ = good;				\
	with_.field = (value);						\
	with_;								\
})

#define assert_good_with(field, value)	do {				\
	struct profil_region r_ = WITH(field, value);			\
	assert_checked(&r_, 0);						\
} while (0)

#define assert_bad_with(field, value)	do {				\
	struct profil_region r_ = WITH(field, value);			\
	assert_checked(&r_, -EINVAL);					\
} while (0)

#define assert_bad_catch_all_with(field, value)	do {			\
	struct profil_region r_ = good_catch_all;			\
	r_.field = (value);						\
	assert_checked(&r_, -EINVAL);					\
} while (0)

static void test_good_regions_pass(void **state)
{
	struct profil_region all_default = { .width = 2 };

	(void)state;
	assert_checked(&good, 0);
	assert_checked(&good_catch_all, 0);
	assert_checked(&all_default, 0);
}

static void test_width_is_2_4_or_8(void **state)
{
	unsigned int width;

	(void)state;
	for (width = 0; width < 256; width++) {
		if (width == 2 || width == 4 || width == 8)
			assert_good_with(width, width);
		else
			assert_bad_with(width, width);
	}
}

static void test_rules_are_known(void **state)
{
	unsigned int value;

	(void)state;
	for (value = 0; value < 3; value++) {
		assert_good_with(index, value);
		assert_good_with(on_fault, value > 1 ? 1 : value);
	}
	assert_good_with(at_limit, PROFIL_LIMIT_SATURATE);
	for (value = 3; value < 256; value++) {
		assert_bad_with(index, value);
		assert_bad_with(at_limit, value);
		assert_bad_with(on_fault, value);
	}
	assert_bad_with(on_fault, 2);
}

static void test_unknown_flags_are_refused(void **state)
{
	unsigned int bit;

	(void)state;
	for (bit = 1; bit < 32; bit++) {
		assert_bad_with(flags, 1U << bit);
		assert_bad_catch_all_with(flags, PROFIL_REGION_CATCH_ALL |
						 1U << bit);
	}
}

static void test_reserved_is_0(void **state)
{
	unsigned int bit;

	(void)state;
	for (bit = 0; bit < 32; bit++)
		assert_bad_with(reserved, 1U << bit);
}

static void test_limit_fits_the_width(void **state)
{
	struct profil_region r = good;

	(void)state;
	assert_good_with(limit, 0);
	assert_good_with(limit, 1);
	assert_good_with(limit, 65535);
	assert_bad_with(limit, 65536);
	assert_bad_with(limit, 1ULL << 32);
	assert_bad_with(limit, U64_MAX);

	r.width = 4;
	r.limit = U32_MAX;
	assert_checked(&r, 0);
	r.limit = 1ULL << 32;
	assert_checked(&r, -EINVAL);

	r.width = 8;
	assert_checked(&r, 0);
	r.limit = U64_MAX;
	assert_checked(&r, 0);
}

static void test_only_limit_0_wraps(void **state)
{
	struct profil_region r = WITH(at_limit, PROFIL_LIMIT_WRAP);

	(void)state;
	assert_checked(&r, -EINVAL);
	r.limit = 65535;
	assert_checked(&r, -EINVAL);
	r.limit = 0;
	assert_checked(&r, 0);
}

static void test_pc_start_is_not_below_offset(void **state)
{
	(void)state;
	assert_good_with(pc_start, 0);
	assert_good_with(pc_start, good.offset + 1);
	assert_bad_with(pc_start, good.offset - 1);
	assert_bad_with(pc_start, 1);
}

static void test_pc_end_is_above_the_lowest_pc(void **state)
{
	struct profil_region r = good;

	(void)state;
	assert_good_with(pc_end, 0);
	assert_good_with(pc_end, good.offset + 1);
	assert_good_with(pc_end, U64_MAX);
	assert_bad_with(pc_end, good.offset);
	assert_bad_with(pc_end, 1);
	assert_bad_with(pc_start, good.pc_end);

	/* Without a pc_start, the offset is the lowest. */
	r.pc_start = 0;
	r.pc_end = r.offset + 1;
	assert_checked(&r, 0);
	r.pc_end = r.offset;
	assert_checked(&r, -EINVAL);
}

static void test_size_does_not_wrap(void **state)
{
	(void)state;
	assert_good_with(size, 0);
	assert_good_with(size, 1);
	assert_good_with(size, U64_MAX - good.buf);
	assert_bad_with(size, U64_MAX - good.buf + 1);
	assert_bad_with(size, U64_MAX);
	assert_bad_with(buf, U64_MAX);
}

/* Whether it is an address of user memory is another question. */
static void test_any_buffer_offset_and_scale_is_a_region(void **state)
{
	(void)state;
	assert_good_with(buf, 0);
	assert_good_with(buf, 1);
	assert_good_with(buf, 0xffff800000000000);
	assert_good_with(offset, 0);
	assert_good_with(scale, 0);
	assert_good_with(scale, 1);
	assert_good_with(scale, U32_MAX);
}

static void test_catch_all_has_no_pcs_of_its_own(void **state)
{
	(void)state;
	assert_bad_catch_all_with(offset, 1);
	assert_bad_catch_all_with(pc_start, 1);
	assert_bad_catch_all_with(pc_end, 1);
	assert_bad_catch_all_with(scale, 1);
	assert_bad_with(flags, PROFIL_REGION_CATCH_ALL);
}

static void test_catch_all_is_otherwise_a_region(void **state)
{
	(void)state;
	assert_bad_catch_all_with(width, 3);
	assert_bad_catch_all_with(index, 3);
	assert_bad_catch_all_with(at_limit, 3);
	assert_bad_catch_all_with(on_fault, 2);
	assert_bad_catch_all_with(limit, 1ULL << 32);
	assert_bad_catch_all_with(size, U64_MAX);
	assert_bad_catch_all_with(reserved, 1);
}

static void test_one_catch_all_is_enough(void **state)
{
	struct profil_region r[4] = {
		good, good_catch_all, good, good_catch_all
	};

	(void)state;
	assert_int_equal(profil_regions_check(r, 3, no_pause), 0);
	assert_int_equal(profil_regions_check(r, 4, no_pause), -EINVAL);
	assert_int_equal(profil_regions_check(r + 1, 3, no_pause), -EINVAL);
	assert_int_equal(profil_regions_check(r + 2, 2, no_pause), 0);
	assert_false(reference_valid(r, 4));
}

static void test_every_region_is_checked(void **state)
{
	struct profil_region r[3];
	u32 bad, i;

	(void)state;
	for (bad = 0; bad < 3; bad++) {
		for (i = 0; i < 3; i++)
			r[i] = good;
		r[bad].width = 1;
		assert_int_equal(profil_regions_check(r, 3, no_pause), -EINVAL);
	}
}

static void test_number_of_regions_has_bounds(void **state)
{
	u32 i, n = PROFIL_MAP_MAX_REGIONS;
	struct profil_region *r = malloc(n * sizeof(*r));

	(void)state;
	assert_non_null(r);
	for (i = 0; i < n; i++)
		r[i] = good;

	assert_int_equal(profil_regions_check(r, 0, no_pause), -EINVAL);
	assert_int_equal(profil_regions_check(r, n, no_pause), 0);
	assert_int_equal(profil_regions_check(r, n + 1, no_pause), -E2BIG);
	assert_int_equal(profil_regions_check(r, U32_MAX, no_pause), -E2BIG);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_regions_pass),
		cmocka_unit_test(test_width_is_2_4_or_8),
		cmocka_unit_test(test_rules_are_known),
		cmocka_unit_test(test_unknown_flags_are_refused),
		cmocka_unit_test(test_reserved_is_0),
		cmocka_unit_test(test_limit_fits_the_width),
		cmocka_unit_test(test_only_limit_0_wraps),
		cmocka_unit_test(test_pc_start_is_not_below_offset),
		cmocka_unit_test(test_pc_end_is_above_the_lowest_pc),
		cmocka_unit_test(test_size_does_not_wrap),
		cmocka_unit_test(test_any_buffer_offset_and_scale_is_a_region),
		cmocka_unit_test(test_catch_all_has_no_pcs_of_its_own),
		cmocka_unit_test(test_catch_all_is_otherwise_a_region),
		cmocka_unit_test(test_one_catch_all_is_enough),
		cmocka_unit_test(test_every_region_is_checked),
		cmocka_unit_test(test_number_of_regions_has_bounds),
	};

	return cmocka_run_group_tests_name("region_check", tests, NULL, NULL);
}

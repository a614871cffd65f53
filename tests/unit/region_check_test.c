// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is a region and what is not: each bad one here is a good one with one thing
 * wrong. The reference must say the same.
 */
#include <linux/limits.h>

#include "region_reference.h"
#include "unit.h"

#pragma GCC diagnostic ignored "-Woverride-init"

#define BUF	0x7f0000001000
#define TEXT	0x401000

/* Counters of 4 MiB of text, 2 bytes for 4. */
#define GOOD(...) {							\
	.buf = BUF, .size = 0x200000, .offset = TEXT, .pc_start = TEXT,	\
	.pc_end = TEXT + 0x400000, .limit = 32767, .scale = 0x8000,	\
	.width = 2, .index = PROFIL_INDEX_BYTE_DOWN,			\
	.at_limit = PROFIL_LIMIT_STOP, .on_fault = PROFIL_FAULT_STOP_ALL,	\
	##__VA_ARGS__ }

#define CATCH_ALL(...) {						\
	.buf = BUF, .size = 4, .width = 4,				\
	.flags = PROFIL_REGION_CATCH_ALL, ##__VA_ARGS__ }

static const struct profil_region good = GOOD();

/* Whether it is an address of user memory is another question. */
static const struct profil_region good_regions[] = {
	GOOD(), CATCH_ALL(), { .width = 2 },
	GOOD(.width = 4), GOOD(.width = 8), GOOD(.index = 1), GOOD(.index = 2),
	GOOD(.on_fault = 1), GOOD(.at_limit = PROFIL_LIMIT_SATURATE),
	GOOD(.at_limit = PROFIL_LIMIT_WRAP, .limit = 0),
	GOOD(.limit = 0), GOOD(.limit = 1), GOOD(.limit = 65535),
	GOOD(.width = 4, .limit = U32_MAX), GOOD(.width = 8, .limit = 1ULL << 32),
	GOOD(.width = 8, .limit = U64_MAX), GOOD(.pc_start = 0), GOOD(.pc_start = TEXT + 1),
	GOOD(.pc_end = 0), GOOD(.pc_end = TEXT + 1), GOOD(.pc_end = U64_MAX),
	GOOD(.pc_start = 0, .pc_end = TEXT + 1),
	GOOD(.size = 0), GOOD(.size = 1), GOOD(.size = U64_MAX - BUF),
	GOOD(.buf = 0), GOOD(.buf = 1), GOOD(.buf = 0xffff800000000000),
	GOOD(.offset = 0), GOOD(.scale = 0), GOOD(.scale = 1), GOOD(.scale = U32_MAX),
};

static const struct profil_region bad_regions[] = {
	GOOD(.width = 0), GOOD(.width = 1), GOOD(.width = 3), GOOD(.width = 5),
	GOOD(.width = 6), GOOD(.width = 7), GOOD(.width = 9), GOOD(.width = 16),
	GOOD(.width = 128), GOOD(.width = 255), GOOD(.index = 3), GOOD(.index = 255),
	GOOD(.on_fault = 2), GOOD(.on_fault = 255), GOOD(.flags = PROFIL_REGION_CATCH_ALL),
	GOOD(.at_limit = 3), GOOD(.at_limit = 255), GOOD(.at_limit = PROFIL_LIMIT_WRAP),
	GOOD(.at_limit = PROFIL_LIMIT_WRAP, .limit = 65535),
	GOOD(.limit = 65536), GOOD(.limit = 1ULL << 32), GOOD(.limit = U64_MAX),
	GOOD(.width = 4, .limit = 1ULL << 32), GOOD(.pc_start = TEXT - 1), GOOD(.pc_start = 1),
	GOOD(.pc_start = TEXT + 0x400000), GOOD(.pc_end = TEXT), GOOD(.pc_end = 1),
	GOOD(.pc_start = 0, .pc_end = TEXT),
	GOOD(.size = U64_MAX - BUF + 1), GOOD(.size = U64_MAX), GOOD(.buf = U64_MAX),
	CATCH_ALL(.offset = 1), CATCH_ALL(.pc_start = 1), CATCH_ALL(.pc_end = 1),
	CATCH_ALL(.scale = 1), CATCH_ALL(.width = 3), CATCH_ALL(.index = 3),
	CATCH_ALL(.at_limit = 3), CATCH_ALL(.on_fault = 2),
	CATCH_ALL(.limit = 1ULL << 32), CATCH_ALL(.size = U64_MAX),
	CATCH_ALL(.reserved = 1), CATCH_ALL(.flags = PROFIL_REGION_CATCH_ALL | 1U << 31),
	GOOD(.reserved = 1U << 31), GOOD(.flags = 2), GOOD(.flags = 1U << 31),
};

static void assert_checked(const struct profil_region *r, int want)
{
	assert_int_equal(profil_region_check(r), want);
	assert_int_equal(profil_regions_check(r, 1, no_pause), want);
	assert_int_equal(reference_valid(r, 1), want == 0);
}

TEST(good_regions_pass)
{
	for (size_t i = 0; i < ARRAY_SIZE(good_regions); i++)
		assert_checked(&good_regions[i], 0);
}

TEST(one_bad_field_is_einval)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad_regions); i++)
		assert_checked(&bad_regions[i], -EINVAL);
}

TEST(number_of_regions_has_bounds)
{
	u32 i, n = PROFIL_MAP_MAX_REGIONS;
	struct profil_region *r = malloc(n * sizeof(*r));

	assert_non_null(r);
	for (i = 0; i < n; i++)
		r[i] = good;

	assert_int_equal(profil_regions_check(r, 0, no_pause), -EINVAL);
	assert_int_equal(profil_regions_check(r, n, no_pause), 0);
	assert_int_equal(profil_regions_check(r, n + 1, no_pause), -E2BIG);
	assert_int_equal(profil_regions_check(r, U32_MAX, no_pause), -E2BIG);
	/* And of those that catch all. */
	r[0] = r[1] = (struct profil_region)CATCH_ALL();
	assert_int_equal(profil_regions_check(r, 2, no_pause), -EINVAL);
	free(r);
}

UNIT_MAIN("region_check", NULL, NULL, NULL, NULL)

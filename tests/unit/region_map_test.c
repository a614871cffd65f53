// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which region has a pc. */
#include <stdio.h>
#include <stdlib.h>

#include <linux/limits.h>

#include "region_reference.h"
#include "unit.h"

/* Counters of 2 bytes, 1:1, for the pcs from offset on to below end. */
#define TEXT(from, end)	{						\
	.buf	= 0x10000,						\
	.size	= (end) - (from),					\
	.offset	= (from),						\
	.scale	= 0x10000,						\
	.width	= 2,							\
}

#define CATCH_ALL	{						\
	.buf	= 0x20000,						\
	.size	= 2,							\
	.width	= 2,							\
	.flags	= PROFIL_REGION_CATCH_ALL,				\
}

#define NONE	PROFIL_NO_REGION

/* From each of these pcs on, to below the next one, the region is this. */
struct segment {
	u64 pc;
	u32 region;
};

static void assert_found(const struct profil_region *r, u32 n,
			 const struct profil_map *map, u64 pc, u32 want)
{
	assert_int_equal(reference_find(r, n, pc), want);
	assert_int_equal(profil_map_find(map, pc), want);
}

static void check_segments(const struct profil_region *r, u32 n,
			   const struct segment *s, size_t segments)
{
	struct profil_map *map = build_map(r, n);
	size_t i;

	assert_int_equal(profil_regions_check(r, n, no_pause), 0);
	assert_int_equal(s[0].pc, 0);
	for (i = 0; i < segments; i++) {
		u64 end = i + 1 < segments ? s[i + 1].pc : U64_MAX;

		assert_found(r, n, map, s[i].pc, s[i].region);
		assert_found(r, n, map, s[i].pc + (end - s[i].pc) / 2,
			     s[i].region);
		assert_found(r, n, map, end - 1, s[i].region);
	}
	free(map);
}

#define assert_segments(regions, ...)	do {				\
	const struct segment s_[] = { __VA_ARGS__ };			\
	check_segments((regions), ARRAY_SIZE(regions), s_,		\
		       ARRAY_SIZE(s_));					\
} while (0)

static void test_one_region(void **state)
{
	const struct profil_region r[] = { TEXT(0x100, 0x200) };

	(void)state;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x200, NONE });
}

static void test_a_region_may_begin_at_0(void **state)
{
	const struct profil_region r[] = { TEXT(0, 0x200) };

	(void)state;
	assert_segments(r, { 0, 0 }, { 0x200, NONE });
}

static void test_regions_in_any_order(void **state)
{
	const struct profil_region r[] = {
		TEXT(0x300, 0x400), TEXT(0x100, 0x180), TEXT(0x200, 0x300),
	};

	(void)state;
	assert_segments(r, { 0, NONE }, { 0x100, 1 }, { 0x180, NONE },
			{ 0x200, 2 }, { 0x300, 0 }, { 0x400, NONE });
}

static void test_the_largest_offset_wins(void **state)
{
	const struct profil_region r[] = {
		TEXT(0x100, 0x900), TEXT(0x300, 0x500), TEXT(0x400, 0xa00),
		TEXT(0x200, 0x800),
	};

	(void)state;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x200, 3 },
			{ 0x300, 1 }, { 0x400, 2 }, { 0xa00, NONE });
}

/* Where the region of the largest offset has ended, another goes on. */
static void test_a_region_that_contains_another_goes_on_behind_it(void **state)
{
	const struct profil_region r[] = {
		TEXT(0x100, 0x900), TEXT(0x200, 0x800), TEXT(0x300, 0x700),
	};

	(void)state;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x200, 1 },
			{ 0x300, 2 }, { 0x700, 1 }, { 0x800, 0 },
			{ 0x900, NONE });
}

static void test_the_first_wins_a_tie(void **state)
{
	const struct profil_region r[] = {
		TEXT(0x100, 0x200), TEXT(0x100, 0x400), TEXT(0x100, 0x400),
		TEXT(0x100, 0x500),
	};
	const struct profil_region reversed[] = {
		TEXT(0x100, 0x500), TEXT(0x100, 0x400), TEXT(0x100, 0x200),
	};

	(void)state;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x200, 1 },
			{ 0x400, 3 }, { 0x500, NONE });
	assert_segments(reversed, { 0, NONE }, { 0x100, 0 }, { 0x500, NONE });
}

static void test_pc_start_and_pc_end_narrow_a_region(void **state)
{
	struct profil_region r[] = { TEXT(0x100, 0x900) };

	(void)state;
	r[0].pc_start = 0x101;
	assert_segments(r, { 0, NONE }, { 0x101, 0 }, { 0x900, NONE });
	r[0].pc_end = 0x8ff;
	assert_segments(r, { 0, NONE }, { 0x101, 0 }, { 0x8ff, NONE });
	r[0].pc_start = 0;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x8ff, NONE });
}

static void test_pc_end_does_not_lengthen_the_buffer(void **state)
{
	struct profil_region r[] = { TEXT(0x100, 0x900) };

	(void)state;
	r[0].pc_end = 0x901;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x900, NONE });
	r[0].pc_end = U64_MAX;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x900, NONE });
}

static void test_pc_start_behind_the_buffer_counts_nothing(void **state)
{
	struct profil_region r[] = {
		TEXT(0x100, 0x900), TEXT(0x400, 0x500), TEXT(0x400, 0x500),
	};

	(void)state;
	r[1].pc_start = 0x500;
	r[2].pc_start = 0x600;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x900, NONE });
}

/* The offset ranks, not the lowest pc counted. */
static void test_pc_start_does_not_raise_the_rank(void **state)
{
	struct profil_region r[] = { TEXT(0x100, 0x900), TEXT(0x200, 0x900) };

	(void)state;
	r[0].pc_start = 0x300;
	assert_segments(r, { 0, NONE }, { 0x200, 1 }, { 0x900, NONE });
	r[1].pc_end = 0x280;
	assert_segments(r, { 0, NONE }, { 0x200, 1 }, { 0x280, NONE },
			{ 0x300, 0 }, { 0x900, NONE });
}

static void test_catch_all_takes_the_rest(void **state)
{
	const struct profil_region r[] = {
		TEXT(0x100, 0x200), CATCH_ALL, TEXT(0x300, 0x400),
	};

	(void)state;
	assert_segments(r, { 0, 1 }, { 0x100, 0 }, { 0x200, 1 }, { 0x300, 2 },
			{ 0x400, 1 });
}

static void test_catch_all_alone_takes_everything(void **state)
{
	const struct profil_region r[] = { CATCH_ALL };

	(void)state;
	assert_segments(r, { 0, 0 });
}

/* Even a region at 0 that covers all pcs goes before the catch-all. */
static void test_catch_all_comes_last(void **state)
{
	struct profil_region r[] = { CATCH_ALL, TEXT(0, 0x100) };

	(void)state;
	assert_segments(r, { 0, 1 }, { 0x100, 0 });
	r[1].scale = 0;
	assert_segments(r, { 0, 1 });
}

static void test_catch_all_without_a_counter_takes_nothing(void **state)
{
	struct profil_region r[] = { TEXT(0x100, 0x200), CATCH_ALL };

	(void)state;
	r[1].size = 1;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x200, NONE });
}

static void test_regions_without_a_counter_are_not_there(void **state)
{
	struct profil_region r[] = {
		TEXT(0x100, 0x200), TEXT(0x180, 0x180), TEXT(0x180, 0x181),
		TEXT(0, 0),
	};

	(void)state;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x200, NONE });
}

static void test_odd_sizes_end_with_the_whole_counter(void **state)
{
	const struct profil_region r[] = { TEXT(0x100, 0x1ff) };

	(void)state;
	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x1fe, NONE });
}

static void test_scale_0_reaches_from_offset_to_the_top(void **state)
{
	struct profil_region r[] = { TEXT(0x100, 0x200), TEXT(0x80, 0x82) };

	(void)state;
	r[1].scale = 0;
	assert_segments(r, { 0, NONE }, { 0x80, 1 }, { 0x100, 0 },
			{ 0x200, 1 });
}

/* The map's memory is the caller's and may hold anything before. */
static void test_memory_need_not_be_clean(void **state)
{
	const struct profil_region r[] = { TEXT(0x100, 0x200) };
	struct profil_map *map = malloc(profil_map_bytes(1));
	size_t i;

	(void)state;
	assert_non_null(map);
	for (i = 0; i < profil_map_bytes(1); i++)
		((unsigned char *)map)[i] = 0x5a;
	assert_int_equal(profil_map_build(map, r, 1, no_pause), 0);
	assert_found(r, 1, map, 0xff, NONE);
	assert_found(r, 1, map, 0x100, 0);
	assert_found(r, 1, map, 0x200, NONE);
	free(map);
}

/* docs/security.md says so. */
static void test_a_map_takes_136_bytes_a_region_at_most(void **state)
{
	u32 n;

	(void)state;
	for (n = 1; n <= PROFIL_MAP_MAX_REGIONS; n++)
		assert_in_range(profil_map_bytes(n), 1,
				sizeof(struct profil_map) + 136UL * n);
	assert_int_equal(profil_map_bytes(4096), 360472);
	assert_int_equal(profil_map_bytes(PROFIL_MAP_MAX_REGIONS), 5767192);
}

/* n regions of 16 bytes, with gaps of 16 bytes, in an order that is none. */
static void assert_disjoint(u32 n)
{
	struct profil_region *r = malloc(n * sizeof(*r));
	struct profil_map *map;
	u32 i;

	assert_non_null(r);
	for (i = 0; i < n; i++) {
		u64 pc = 0x1000 + 32 * (i * 5ULL % n);

		r[i] = (struct profil_region)TEXT(pc, pc + 16);
	}
	map = build_map(r, n);
	for (i = 0; i < n; i++) {
		assert_int_equal(profil_map_find(map, r[i].offset - 1), NONE);
		assert_int_equal(profil_map_find(map, r[i].offset), i);
		assert_int_equal(profil_map_find(map, r[i].offset + 15), i);
		assert_int_equal(profil_map_find(map, r[i].offset + 16), NONE);
	}
	free(map);
	free(r);
}

static void test_many_disjoint_regions(void **state)
{
	u32 n;

	(void)state;
	for (n = 1; n < 140; n++)
		if (n % 5)
			assert_disjoint(n);
	assert_disjoint(4096);
	assert_disjoint(PROFIL_MAP_MAX_REGIONS);
}

/* Each region contains all those after it, on both sides. */
static void test_many_nested_regions(void **state)
{
	u32 i, n = PROFIL_MAP_MAX_REGIONS;
	struct profil_region *r = malloc(n * sizeof(*r));
	struct profil_map *map;

	(void)state;
	assert_non_null(r);
	for (i = 0; i < n; i++)
		r[i] = (struct profil_region)TEXT(2ULL * i, 8ULL * n - 2ULL * i);

	map = build_map(r, n);
	for (i = 0; i < n; i++) {
		assert_int_equal(profil_map_find(map, 2 * i), i);
		assert_int_equal(profil_map_find(map, 2 * i + 1), i);
		assert_int_equal(profil_map_find(map, 8 * n - 2 * i - 1), i);
	}
	assert_int_equal(profil_map_find(map, 8 * n), NONE);
	free(map);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_region),
		cmocka_unit_test(test_a_region_may_begin_at_0),
		cmocka_unit_test(test_regions_in_any_order),
		cmocka_unit_test(test_the_largest_offset_wins),
		cmocka_unit_test(test_a_region_that_contains_another_goes_on_behind_it),
		cmocka_unit_test(test_the_first_wins_a_tie),
		cmocka_unit_test(test_pc_start_and_pc_end_narrow_a_region),
		cmocka_unit_test(test_pc_end_does_not_lengthen_the_buffer),
		cmocka_unit_test(test_pc_start_behind_the_buffer_counts_nothing),
		cmocka_unit_test(test_pc_start_does_not_raise_the_rank),
		cmocka_unit_test(test_catch_all_takes_the_rest),
		cmocka_unit_test(test_catch_all_alone_takes_everything),
		cmocka_unit_test(test_catch_all_comes_last),
		cmocka_unit_test(test_catch_all_without_a_counter_takes_nothing),
		cmocka_unit_test(test_regions_without_a_counter_are_not_there),
		cmocka_unit_test(test_odd_sizes_end_with_the_whole_counter),
		cmocka_unit_test(test_scale_0_reaches_from_offset_to_the_top),
		cmocka_unit_test(test_memory_need_not_be_clean),
		cmocka_unit_test(test_a_map_takes_136_bytes_a_region_at_most),
		cmocka_unit_test(test_many_disjoint_regions),
		cmocka_unit_test(test_many_nested_regions),
	};

	return cmocka_run_group_tests_name("region_map", tests, NULL, NULL);
}

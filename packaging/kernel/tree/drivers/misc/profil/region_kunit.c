// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of region.c: which regions are accepted, which of them has a pc, and
 * which counter it is counted in, and how far that counts.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

/* It is pure code, and nothing of it is exported. */
#include "counter.h"
#include "region.c"

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

static int no_pause(void)
{
	return 0;
}

static int intr_pause(void)
{
	return -EINTR;
}

static struct profil_map *build(struct kunit *test, const struct profil_region *r, u32 n)
{
	struct profil_map *map = kunit_kzalloc(test, profil_map_bytes(n), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_ASSERT_EQ(test, profil_regions_check(r, n, no_pause), 0);
	KUNIT_ASSERT_EQ(test, profil_map_build(map, r, n, no_pause), 0);
	return map;
}

static void region_good_is_accepted(struct kunit *test)
{
	const struct profil_region good[] = { TEXT(0x1000, 0x2000), CATCH_ALL };

	KUNIT_EXPECT_EQ(test, profil_region_check(&good[0]), 0);
	KUNIT_EXPECT_EQ(test, profil_region_check(&good[1]), 0);
	KUNIT_EXPECT_EQ(test, profil_regions_check(good, 2, no_pause), 0);
}

/* Each is good but for one thing. */
static void region_bad_is_refused(struct kunit *test)
{
	const struct profil_region good = TEXT(0x1000, 0x2000);
	struct profil_region r;

#define EXPECT_REFUSED(field, value) do {				\
	r = good;							\
	r.field = (value);						\
	KUNIT_EXPECT_EQ_MSG(test, profil_region_check(&r), -EINVAL,	\
			    #field " " #value);				\
} while (0)

	EXPECT_REFUSED(width, 0);
	EXPECT_REFUSED(width, 1);
	EXPECT_REFUSED(width, 3);
	EXPECT_REFUSED(width, 16);
	EXPECT_REFUSED(index, PROFIL_INDEX_ELEMENT + 1);
	EXPECT_REFUSED(at_limit, PROFIL_LIMIT_STOP + 1);
	EXPECT_REFUSED(on_fault, PROFIL_FAULT_STOP_REGION + 1);
	EXPECT_REFUSED(limit, 0x10000);
	EXPECT_REFUSED(reserved, 1);
	EXPECT_REFUSED(flags, 2);
	EXPECT_REFUSED(pc_start, 0xfff);
	EXPECT_REFUSED(pc_end, 0x1000);
	EXPECT_REFUSED(buf, U64_MAX - 0xffe);
#undef EXPECT_REFUSED
}

static void regions_bad_are_refused(struct kunit *test)
{
	const struct profil_region two[] = { CATCH_ALL, CATCH_ALL };

	KUNIT_EXPECT_EQ(test, profil_regions_check(two, 0, no_pause), -EINVAL);
	KUNIT_EXPECT_EQ(test, profil_regions_check(two, 1, no_pause), 0);
	KUNIT_EXPECT_EQ(test, profil_regions_check(two, 2, no_pause), -EINVAL);
	KUNIT_EXPECT_EQ(test, profil_regions_check(two, PROFIL_MAP_MAX_REGIONS + 1,
						   no_pause), -E2BIG);
}

static void map_finds_the_region_of_a_pc(struct kunit *test)
{
	const struct profil_region r[] = {
		TEXT(0x100, 0x200), TEXT(0x300, 0x400), TEXT(0x200, 0x280),
	};
	static const struct {
		u64 pc;
		u32 region;
	} want[] = {
		{ 0, NONE }, { 0xff, NONE }, { 0x100, 0 }, { 0x1ff, 0 },
		{ 0x200, 2 }, { 0x27f, 2 }, { 0x280, NONE }, { 0x2ff, NONE },
		{ 0x300, 1 }, { 0x3ff, 1 }, { 0x400, NONE }, { U64_MAX - 1, NONE },
	};
	struct profil_map *map = build(test, r, ARRAY_SIZE(r));
	int i;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_EQ_MSG(test, profil_map_find(map, want[i].pc),
				    want[i].region, "pc %#llx", want[i].pc);
}

static void map_gives_the_rest_to_the_catch_all(struct kunit *test)
{
	const struct profil_region r[] = { CATCH_ALL, TEXT(0x100, 0x200) };
	struct profil_map *map = build(test, r, ARRAY_SIZE(r));

	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0xff), 0);
	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0x100), 1);
	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0x1ff), 1);
	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0x200), 0);
	KUNIT_EXPECT_EQ(test, profil_map_find(map, U64_MAX - 1), 0);
}

/* As many as make several levels of the tree, side by side and in any order. */
static void map_of_many_regions_finds_each(struct kunit *test)
{
	const u32 n = 1000;
	struct profil_region *r = kunit_kcalloc(test, n, sizeof(*r), GFP_KERNEL);
	struct profil_map *map;
	u32 i, found;

	KUNIT_ASSERT_NOT_NULL(test, r);
	for (i = 0; i < n; i++) {
		/* 7 and 1000 have no common divisor. */
		u64 from = 0x1000 + (i * 7 % n) * 0x100;

		r[i] = (struct profil_region)TEXT(from, from + 0x100);
	}
	map = build(test, r, n);
	for (i = 0; i < n; i++) {
		found = profil_map_find(map, r[i].offset);
		KUNIT_ASSERT_EQ(test, found, i);
		found = profil_map_find(map, r[i].offset + 0xff);
		KUNIT_ASSERT_EQ(test, found, i);
	}
	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0xfff), NONE);
	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0x1000 + n * 0x100), NONE);
}

/* Overlapping ones: with the greatest offset not above the pc, if it has it. */
static void map_prefers_the_nearest_offset(struct kunit *test)
{
	const struct profil_region r[] = { TEXT(0x100, 0x400), TEXT(0x200, 0x300) };
	struct profil_map *map = build(test, r, ARRAY_SIZE(r));

	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0x1ff), 0);
	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0x200), 1);
	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0x2ff), 1);
	KUNIT_EXPECT_EQ(test, profil_map_find(map, 0x300), 0);
}

static void map_is_given_up_if_asked_to(struct kunit *test)
{
	const u32 n = 1000;
	struct profil_region *r = kunit_kcalloc(test, n, sizeof(*r), GFP_KERNEL);
	struct profil_map *map = kunit_kzalloc(test, profil_map_bytes(n), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_ASSERT_NOT_NULL(test, map);
	for (i = 0; i < n; i++)
		r[i] = (struct profil_region)TEXT(0x1000 + i * 0x100ULL,
						  0x1100 + i * 0x100ULL);
	KUNIT_EXPECT_EQ(test, profil_map_build(map, r, n, intr_pause), -EINTR);
}

static void counter_of_a_pc_is_by_its_rule(struct kunit *test)
{
	static const struct {
		u8 width, index;
		u32 scale;
		u64 pc, at;
	} want[] = {
		{ 2, PROFIL_INDEX_BYTE_DOWN, 0x10000, 0x1000, 0 },
		{ 2, PROFIL_INDEX_BYTE_DOWN, 0x10000, 0x1001, 0 },
		{ 2, PROFIL_INDEX_BYTE_DOWN, 0x10000, 0x1003, 2 },
		{ 2, PROFIL_INDEX_BYTE_UP, 0x10000, 0x1003, 4 },
		{ 2, PROFIL_INDEX_BYTE_DOWN, 0x8000, 0x1006, 2 },
		{ 4, PROFIL_INDEX_BYTE_DOWN, 0x10000, 0x1007, 4 },
		{ 8, PROFIL_INDEX_BYTE_DOWN, 0x10000, 0x1017, 0x10 },
		{ 2, PROFIL_INDEX_ELEMENT, 0x8000, 0x1006, 2 },
		{ 2, PROFIL_INDEX_ELEMENT, 0x8000, 0x1008, 4 },
		{ 4, PROFIL_INDEX_BYTE_DOWN, 0, 0x1ff0, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		struct profil_region r = TEXT(0x1000, 0x2000);
		struct profil_map *map;
		u64 at;

		r.width = want[i].width;
		r.index = want[i].index;
		r.scale = want[i].scale;
		map = build(test, &r, 1);
		at = profil_region_counter(profil_map_region(map, 0), want[i].pc);
		KUNIT_EXPECT_EQ_MSG(test, at, r.buf + want[i].at, "row %d", i);
	}
}

/* Whatever the region: a pc that is found in it has a counter inside its buffer. */
static void counters_are_inside_the_buffer(struct kunit *test)
{
	static const u8 widths[] = { 2, 4, 8 };
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 13);
	for (i = 0; i < 2000; i++) {
		struct profil_region r = {
			.buf	= 0x10000 + prandom_u32_state(&rnd) % 64,
			.size	= prandom_u32_state(&rnd) % 4096,
			.offset	= prandom_u32_state(&rnd),
			.scale	= prandom_u32_state(&rnd) >> prandom_u32_state(&rnd) % 32,
			.width	= widths[i % 3],
			.index	= i / 3 % 3,
		};
		struct profil_map *map = build(test, &r, 1);
		u64 end = profil_region_end(&r), pc, at;

		/* Or it counts nothing. */
		if (end <= r.offset)
			continue;
		pc = r.offset + (((u64)prandom_u32_state(&rnd) << 32) |
				 prandom_u32_state(&rnd)) % (end - r.offset);
		if (pc == U64_MAX)
			continue;
		KUNIT_ASSERT_EQ(test, profil_map_find(map, pc), 0);
		at = profil_region_counter(profil_map_region(map, 0), pc);
		KUNIT_ASSERT_GE(test, at, r.buf);
		KUNIT_ASSERT_LE(test, at + r.width, r.buf + r.size);
		kunit_kfree(test, map);
	}
}

static void counter_counts_to_its_limit(struct kunit *test)
{
	static const struct {
		u8 at_limit;
		u64 limit, old, next;
		enum profil_count what;
	} want[] = {
		{ PROFIL_LIMIT_SATURATE, 0, 0, 1, PROFIL_COUNT_STORE },
		{ PROFIL_LIMIT_SATURATE, 0, 0xfffe, 0xffff, PROFIL_COUNT_STORE },
		{ PROFIL_LIMIT_SATURATE, 0, 0xffff, 0, PROFIL_COUNT_SATURATED },
		{ PROFIL_LIMIT_SATURATE, 10, 9, 10, PROFIL_COUNT_STORE },
		{ PROFIL_LIMIT_SATURATE, 10, 10, 0, PROFIL_COUNT_SATURATED },
		{ PROFIL_LIMIT_SATURATE, 10, 11, 0, PROFIL_COUNT_SATURATED },
		{ PROFIL_LIMIT_WRAP, 0, 0xffff, 0, PROFIL_COUNT_STORE },
		{ PROFIL_LIMIT_STOP, 10, 9, 10, PROFIL_COUNT_STORE },
		{ PROFIL_LIMIT_STOP, 10, 10, 0, PROFIL_COUNT_STOP },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		struct profil_region r = TEXT(0x1000, 0x2000);
		struct profil_map *map;
		enum profil_count what;
		u64 next = 0;

		r.at_limit = want[i].at_limit;
		r.limit = want[i].limit;
		map = build(test, &r, 1);
		what = profil_counter_next(profil_map_region(map, 0), want[i].old, &next);
		KUNIT_EXPECT_EQ_MSG(test, what, want[i].what, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, next, want[i].next, "row %d", i);
	}
}

static struct kunit_case region_cases[] = {
	KUNIT_CASE(region_good_is_accepted),
	KUNIT_CASE(region_bad_is_refused),
	KUNIT_CASE(regions_bad_are_refused),
	KUNIT_CASE(map_finds_the_region_of_a_pc),
	KUNIT_CASE(map_gives_the_rest_to_the_catch_all),
	KUNIT_CASE(map_of_many_regions_finds_each),
	KUNIT_CASE(map_prefers_the_nearest_offset),
	KUNIT_CASE(map_is_given_up_if_asked_to),
	KUNIT_CASE(counter_of_a_pc_is_by_its_rule),
	KUNIT_CASE(counters_are_inside_the_buffer),
	KUNIT_CASE(counter_counts_to_its_limit),
	{}
};

static struct kunit_suite region_suite = {
	.name		= "profil_region",
	.test_cases	= region_cases,
};

kunit_test_suite(region_suite);

MODULE_DESCRIPTION("KUnit tests of the regions of /dev/profil");
MODULE_LICENSE("GPL");

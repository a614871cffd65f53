// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which region has a pc, and which of its counters. region_random_test compares the
 * arithmetic with the reference; conformance tests have each system's examples.
 */
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

	assert_int_equal(profil_regions_check(r, n, no_pause), 0);
	assert_int_equal(s[0].pc, 0);
	for (size_t i = 0; i < segments; i++) {
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

TEST(the_largest_offset_wins)
{
	const struct profil_region r[] = {
		TEXT(0x100, 0x900), TEXT(0x300, 0x500), TEXT(0x400, 0xa00),
		TEXT(0x200, 0x800),
	};

	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x200, 3 },
			{ 0x300, 1 }, { 0x400, 2 }, { 0xa00, NONE });
}

TEST(the_first_wins_a_tie)
{
	const struct profil_region r[] = {
		TEXT(0x100, 0x200), TEXT(0x100, 0x400), TEXT(0x100, 0x400),
		TEXT(0x100, 0x500),
	};
	const struct profil_region reversed[] = {
		TEXT(0x100, 0x500), TEXT(0x100, 0x400), TEXT(0x100, 0x200),
	};

	assert_segments(r, { 0, NONE }, { 0x100, 0 }, { 0x200, 1 },
			{ 0x400, 3 }, { 0x500, NONE });
	assert_segments(reversed, { 0, NONE }, { 0x100, 0 }, { 0x500, NONE });
}

/* The offset ranks, not the lowest pc counted. */
TEST(pc_start_does_not_raise_the_rank)
{
	struct profil_region r[] = { TEXT(0x100, 0x900), TEXT(0x200, 0x900) };

	r[0].pc_start = 0x300;
	assert_segments(r, { 0, NONE }, { 0x200, 1 }, { 0x900, NONE });
	r[1].pc_end = 0x280;
	assert_segments(r, { 0, NONE }, { 0x200, 1 }, { 0x280, NONE },
			{ 0x300, 0 }, { 0x900, NONE });
}

/* Even a region at 0 that covers all pcs goes before the catch-all. */
TEST(catch_all_comes_last)
{
	struct profil_region r[] = { CATCH_ALL, TEXT(0, 0x100) };
	const struct profil_region alone[] = { CATCH_ALL };

	assert_segments(alone, { 0, 0 });
	assert_segments(r, { 0, 1 }, { 0x100, 0 });
	r[1].scale = 0;
	assert_segments(r, { 0, 1 });
}

/* The map's memory is the caller's and may hold anything before. */
TEST(memory_need_not_be_clean)
{
	const struct profil_region r[] = { TEXT(0x100, 0x200) };
	struct profil_map *map = malloc(profil_map_bytes(1));

	assert_non_null(map);
	for (size_t i = 0; i < profil_map_bytes(1); i++)
		((unsigned char *)map)[i] = 0x5a;
	assert_int_equal(profil_map_build(map, r, 1, no_pause), 0);
	assert_found(r, 1, map, 0xff, NONE);
	assert_found(r, 1, map, 0x100, 0);
	assert_found(r, 1, map, 0x200, NONE);
	free(map);
}

/* docs/security.md says so. */
TEST(a_map_takes_136_bytes_a_region_at_most)
{
	for (u32 n = 1; n <= PROFIL_MAP_MAX_REGIONS; n++)
		assert_in_range(profil_map_bytes(n), 1,
				sizeof(struct profil_map) + 136UL * n);
	assert_int_equal(profil_map_bytes(4096), 360472);
	assert_int_equal(profil_map_bytes(PROFIL_MAP_MAX_REGIONS), 5767192);
}

/* n regions of 16 bytes, with gaps of 16 bytes, in an order that is none. */
static struct profil_region disjoint(u32 i, u32 n)
{
	u64 pc = 0x1000 + 32 * (i * 5ULL % n);

	return (struct profil_region)TEXT(pc, pc + 16);
}

/* Each region contains all those after it, on both sides. */
static struct profil_region nested(u32 i, u32 n)
{
	return (struct profil_region)TEXT(2ULL * i, 8ULL * n - 2ULL * i);
}

/* The first and the last pc of each that is its alone, and what is around all. */
static void assert_many(struct profil_region (*layout)(u32 i, u32 n), u32 n)
{
	struct profil_region *r = malloc(n * sizeof(*r));
	struct profil_map *map;

	assert_non_null(r);
	for (u32 i = 0; i < n; i++)
		r[i] = layout(i, n);
	map = build_map(r, n);
	for (u32 i = 0; i < n; i++) {
		u32 outer = layout == nested && i ? i - 1 : NONE;

		assert_int_equal(profil_map_find(map, r[i].offset), i);
		assert_int_equal(profil_map_find(map, r[i].offset + r[i].size - 1), i);
		if (r[i].offset)
			assert_int_equal(profil_map_find(map, r[i].offset - 1), outer);
		assert_int_equal(profil_map_find(map, r[i].offset + r[i].size), outer);
	}
	free(map);
	free(r);
}

TEST(many_regions)
{
	for (u32 n = 1; n < 140; n++)
		if (n % 5)
			assert_many(disjoint, n);
	assert_many(disjoint, 4096);
	assert_many(disjoint, PROFIL_MAP_MAX_REGIONS);
	assert_many(nested, PROFIL_MAP_MAX_REGIONS);
}

/* --- where the counter is ------------------------------------------------------ */

/* The counter that a tick uses, by way of a compiled region. */
static u64 counter(const struct profil_region *r, u64 pc)
{
	struct profil_map *map = build_map(r, 1);
	u64 at;

	assert_int_equal(profil_regions_check(r, 1, no_pause), 0);
	assert_int_equal(profil_map_find(map, pc), 0);
	at = profil_region_counter(profil_map_region(map, 0), pc);
	free(map);
	return at;
}

TEST(end_is_never_beyond_the_last_pc)
{
	struct profil_region r = {
		.offset = U64_MAX - 7, .size = 8, .scale = 0x10000, .width = 2,
	};

	assert_int_equal(profil_region_end(&r), U64_MAX);
	r.size = 1ULL << 62;
	assert_int_equal(profil_region_end(&r), U64_MAX);
	r.size = 6;
	assert_int_equal(profil_region_end(&r), U64_MAX - 1);
}

/* The index is that of the offset, not of the first pc counted. */
TEST(pc_start_does_not_move_the_counters)
{
	struct profil_region r = {
		.buf = 0x5000, .size = 64, .offset = 0x1000, .pc_start = 0x1010,
		.scale = 0x10000, .width = 2,
	};

	assert_int_equal(counter(&r, 0x1010), 0x5010);
	assert_int_equal(counter(&r, 0x103f), 0x503e);
}

/* The last counter of a buffer that covers all there is. */
TEST(far_counters)
{
	struct profil_region r = {
		.buf = 0x5000, .size = 1ULL << 63, .scale = 0x8000, .width = 8,
	};

	assert_int_equal(counter(&r, U64_MAX - 1),
			 0x5000 + (1ULL << 63) - 8);
	r.index = PROFIL_INDEX_ELEMENT;
	assert_int_equal(counter(&r, U64_MAX - 1),
			 0x5000 + (1ULL << 63) - 8);
	r.scale = 0x7fff;
	r.index = PROFIL_INDEX_BYTE_UP;
	assert_int_equal(counter(&r, U64_MAX - 1), 0x7fff000000005000);
}

UNIT_MAIN("region_map", NULL, NULL, NULL, NULL)

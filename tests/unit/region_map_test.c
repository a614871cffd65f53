// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which region has a pc, and which of its counters: random regions, the same in every
 * run, compared with the slow reference, and what is not random. conformance tests have
 * each system's examples.
 */
#include "region_rounds.h"
#include "unit.h"

/* Counters of 2 bytes, 1:1, for the pcs from offset on to below end. */
#define TEXT(from, end)	{						\
	.buf	= 0x10000,						\
	.size	= (end) - (from),					\
	.offset	= (from),						\
	.scale	= 0x10000,						\
	.width	= 2,							\
}

#define NONE	PROFIL_NO_REGION

/* SplitMix64: the same numbers on every system. */
static u64 any(u64 n)
{
	static u64 seed = 1;
	u64 z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return n ? z % n : z;
}

TEST(maps_and_counters_agree_with_the_reference)
{
	const int rounds = 20000;
	int valid = 0;

	for (int i = 0; i < rounds; i++)
		valid += one_round(MAX_PCS);
	assert_in_range(valid, rounds * 3 / 4, rounds);
}

/* docs/security.md says so. */
TEST(a_map_takes_136_bytes_a_region_at_most)
{
	for (u32 n = 1; n <= PROFIL_MAP_MAX_REGIONS; n++)
		assert_in_range(profil_map_bytes(n), 1, sizeof(struct profil_map) + 136UL * n);
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

UNIT_MAIN("region_map", NULL, NULL, NULL, NULL)

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which region has a pc, and which of its counters: random regions, the same in every
 * run, compared with the slow reference, and what is not random. conformance tests have
 * each system's examples.
 */
#include <linux/limits.h>

#include "region_reference.h"
#include "unit.h"

#define MAX_REGIONS	31
#define MAX_PCS		64

/* Counters of 2 bytes, 1:1, for the pcs from offset on to below end. */
#define TEXT(from, end)	{						\
	.buf	= 0x10000,						\
	.size	= (end) - (from),					\
	.offset	= (from),						\
	.scale	= 0x10000,						\
	.width	= 2,							\
}

#define NONE	PROFIL_NO_REGION

/* 0 to n - 1, or 64 bits if n is 0. SplitMix64: the same numbers on every system. */
static u64 any(u64 n)
{
	static u64 seed = 1;
	u64 z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return n ? z % n : z;
}

/* Numbers of all lengths, often just beside a power of two. */
static u64 any_number(void)
{
	u64 power = 1ULL << any(64);

	switch (any(4)) {
	case 0:
		return power - 2 + any(4);
	case 1:
		return -power + any(4);
	default:
		return any(0) >> any(64);
	}
}

static u32 any_scale(void)
{
	switch (any(4)) {
	case 0:
		return 1U << any(32);
	case 1:
		return 0x10000 - 2 + (u32)any(4);
	case 2:
		return (u32)any_number();
	default:
		return 1 + (u32)any(0x20000);
	}
}

/* A size that covers about the distance d, or any. */
static u64 any_size(const struct profil_region *r, u64 d)
{
	if (any(4) == 0)
		return any(20);
	if (any(8) == 0)
		return any_number();
	return (reference_index(r->index, r->width, r->scale, d) + any(3)) *
	       r->width + any(r->width);
}

/* near: the neighbourhood that makes regions meet. */
static struct profil_region any_region(u64 near, u64 spread)
{
	struct profil_region r = {
		.buf = any(0) >> 1, .offset = near + any(spread), .scale = any_scale(),
		.width = 2 << any(3), .index = any(3), .on_fault = any(2),
	};

	r.size = any_size(&r, any(spread)) >> 1;
	if (any(3) == 0 && near + spread > r.offset)
		r.pc_start = r.offset + any(near + spread - r.offset);
	if (any(3) == 0)
		r.pc_end = profil_region_start(&r) + 1 + any(spread);
	if (any(8) == 0)
		r.limit = any(65536);
	r.at_limit = any(r.limit ? 2 : 3) * (r.limit ? 2 : 1);
	return r;
}

static struct profil_region any_catch_all(void)
{
	return (struct profil_region) {
		.buf = any(0) >> 1, .size = any(12), .width = 2 << any(3),
		.index = any(3), .flags = PROFIL_REGION_CATCH_ALL,
	};
}

/* A region that may be none by now. */
static void spoil(struct profil_region *r)
{
	switch (any(11)) {
	case 0: r->width = any(20); break;
	case 1: r->index = any(5); break;
	case 2: r->at_limit = any(5); break;
	case 3: r->on_fault = any(4); break;
	case 4: r->flags = any_number(); break;
	case 5: r->reserved = any_number(); break;
	case 6: r->limit = any_number(); break;
	case 7: r->pc_start = any_number(); break;
	case 8: r->pc_end = any_number(); break;
	case 9: r->size = any_number(); break;
	default: r->buf = any_number();
	}
}

static u32 any_regions(struct profil_region *r, u64 near, u64 spread)
{
	u32 n = 1 + any(MAX_REGIONS);

	for (u32 i = 0; i < n; i++) {
		r[i] = any_region(near, spread);
		if (any(100) == 99)
			spoil(&r[i]);
	}
	if (any(2))
		r[any(n)] = any_catch_all();
	if (any(32) == 31)
		r[any(n)] = any_catch_all();
	return n;
}

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s differs from the reference\n", what);
	abort();
}

static void check_next(const struct profil_region *r, u64 old)
{
	struct profil_map *map = build_map(r, 1);
	u64 got = 0, want = 0;

	old &= U64_MAX >> (64 - 8 * r->width);
	check(profil_counter_next(map->region, old, &got) ==
	      reference_next(r, old, &want) && got == want, "counter");
	free(map);
}

/* Returns whether the regions were valid; nearly all are. */
static bool one_round(u32 npcs)
{
	u64 spread = 1 | any_number() >> any(64);
	u64 near = any_number();
	struct profil_region r[MAX_REGIONS];
	u64 pc[MAX_PCS];
	u32 i, n = any_regions(r, near, spread);
	bool valid = profil_regions_check(r, n, no_pause) == 0;

	check(valid == reference_valid(r, n), "validity");
	for (i = 0; i < npcs; i++)
		pc[i] = i % 8 ? near + any(spread) : any_number();
	if (!valid)
		return false;
	check(reference_agrees(r, n, pc, npcs), "map");
	for (i = 0; i < n; i++) {
		check_next(&r[i], any_number());
		check_next(&r[i], r[i].limit);
		check_next(&r[i], r[i].limit - 1);
	}
	return true;
}

TEST(maps_and_counters_agree_with_the_reference)
{
	const int rounds = 50000;
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

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Random regions, the same in every run, compared with the slow reference. */
#include <stdlib.h>

#include <linux/limits.h>

#include "region_reference.h"
#include "unit.h"

#define MAX_REGIONS	24
#define PCS		64

/* SplitMix64: the same numbers on every system. */
static u64 seed;

static u64 random64(void)
{
	u64 z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;

	return z ^ (z >> 31);
}

static u64 below(u64 n)
{
	return random64() % n;
}

/* Numbers of all lengths, often just beside a power of two. */
static u64 any_number(void)
{
	u64 power = 1ULL << below(64);

	switch (below(4)) {
	case 0:
		return power - 2 + below(4);
	case 1:
		return -power + below(4);
	default:
		return random64() >> below(64);
	}
}

static u32 any_scale(void)
{
	switch (below(4)) {
	case 0:
		return 1U << below(32);
	case 1:
		return 0x10000 - 2 + (u32)below(4);
	case 2:
		return (u32)any_number();
	default:
		return 1 + (u32)below(0x20000);
	}
}

/* A size that covers about the distance d, or any. */
static u64 any_size(const struct profil_region *r, u64 d)
{
	if (below(4) == 0)
		return below(20);
	if (below(8) == 0)
		return any_number();

	return (reference_index(r->index, r->width, r->scale, d) + below(3)) *
	       r->width + below(r->width);
}

/* near: the neighbourhood that makes regions meet. */
static struct profil_region any_region(u64 near, u64 spread)
{
	struct profil_region r = {
		.buf	= random64() >> 1,
		.offset	= near + below(spread),
		.scale	= any_scale(),
		.width	= 2 << below(3),
		.index	= below(3),
	};

	r.size = any_size(&r, below(spread)) >> 1;
	if (below(3) == 0 && near + spread > r.offset)
		r.pc_start = r.offset + below(near + spread - r.offset);
	if (below(3) == 0)
		r.pc_end = profil_region_start(&r) + 1 + below(spread);
	if (below(8) == 0)
		r.limit = below(65536);
	r.at_limit = below(r.limit ? 2 : 3) * (r.limit ? 2 : 1);

	return r;
}

static struct profil_region any_catch_all(void)
{
	return (struct profil_region) {
		.buf	= random64() >> 1,
		.size	= below(12),
		.width	= 2 << below(3),
		.index	= below(3),
		.flags	= PROFIL_REGION_CATCH_ALL,
	};
}

static u32 any_regions(struct profil_region *r, u64 near, u64 spread)
{
	u32 i, n = 1 + below(MAX_REGIONS);

	for (i = 0; i < n; i++)
		r[i] = any_region(near, spread);
	if (below(2))
		r[below(n)] = any_catch_all();

	return n;
}

/* Returns whether the regions were valid; nearly all are. */
static bool one_round(void)
{
	u64 spread = 1 | any_number() >> below(64);
	u64 near = any_number();
	struct profil_region r[MAX_REGIONS];
	u64 pc[PCS];
	u32 i, n = any_regions(r, near, spread);
	bool valid = profil_regions_check(r, n, no_pause) == 0;

	assert_int_equal(valid, reference_valid(r, n));
	for (i = 0; i < PCS; i++)
		pc[i] = i % 8 ? near + below(spread) : any_number();
	if (valid)
		assert_true(reference_agrees(r, n, pc, PCS));

	return valid;
}

static void test_maps_agree_with_the_reference(void **state)
{
	const int rounds = 20000;
	int i, valid = 0;

	(void)state;
	seed = 1;
	for (i = 0; i < rounds; i++)
		valid += one_round();
	assert_in_range(valid, rounds * 3 / 4, rounds);
}

/* 64-bit arithmetic without loss, as the kernels of old did it. */
static void test_the_reference_is_that_of_split_arithmetic(void **state)
{
	int i;

	(void)state;
	seed = 3;
	for (i = 0; i < 300000; i++) {
		u32 scale = (u32)below(0x20000);
		u64 d = random64() >> 17;
		u64 byte = (d >> 16) * scale + (((d & 0xffff) * scale) >> 16);

		assert_int_equal(reference_index(PROFIL_INDEX_BYTE_DOWN, 2,
						 scale, d), byte / 2);
	}
}

static void test_counters_agree_with_the_reference(void **state)
{
	int i;

	(void)state;
	seed = 4;
	for (i = 0; i < 20000; i++) {
		struct profil_region r = any_region(0, 1000);
		u64 old = any_number(), got = 0, want = 0;
		struct profil_map *map;

		r.size = 8;
		old &= U64_MAX >> (64 - 8 * r.width);
		if (below(2) && r.limit)
			old = r.limit - 1 + below(2);
		map = build_map(&r, 1);
		assert_int_equal(profil_counter_next(map->region, old, &got),
				 reference_next(&r, old, &want));
		assert_int_equal(got, want);
		free(map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps_agree_with_the_reference),
		cmocka_unit_test(test_the_reference_is_that_of_split_arithmetic),
		cmocka_unit_test(test_counters_agree_with_the_reference),
	};

	return cmocka_run_group_tests_name("region_random", tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What regions cost: machine instructions of a search, basic blocks of a build.
 *
 * A search is stepped through in a child process, one instruction at a time.
 * region.c is compiled to call __sanitizer_cov_trace_pc() from each basic
 * block.
 */
#include <errno.h>
#include <stdlib.h>

#include <linux/limits.h>

#include "region_reference.h"
#include "steps.h"
#include "unit.h"

/* Between two calls of pause(), no more basic blocks than this. */
#define MOST_BLOCKS		32768

/* From 1 to 4096 regions, the tick may cost this many instructions more. */
#define MORE_INSTRUCTIONS	60

static u64 blocks;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

static const struct profil_map *searched_map;
static u64 searched_pc;
static volatile u64 found;

static void do_nothing(void)
{
	found = searched_pc + (searched_map != NULL);
}

static void search(void)
{
	found = profil_map_find(searched_map, searched_pc);
}

static void search_and_address(void)
{
	u32 n = profil_map_find(searched_map, searched_pc);

	found = n;
	if (n != PROFIL_NO_REGION)
		found = profil_region_counter(profil_map_region(searched_map, n),
					      searched_pc);
}

static int instructions(void (*call)(void), const struct profil_map *map, u64 pc)
{
	searched_map = map;
	searched_pc = pc;

	return steps(call) - steps(do_nothing);
}

/* Layouts of n regions: where the i-th one begins, and its size. */
typedef struct profil_region layout_fn(u32 i, u32 n);

static struct profil_region text(u64 offset, u64 size)
{
	return (struct profil_region) {
		.buf	= 0x7f0000001000,
		.size	= size & ~1ULL,
		.offset	= offset,
		.scale	= 0x10000,
		.width	= 2,
	};
}

static struct profil_region adjoining(u32 i, u32 n)
{
	return text(0x400000 + 0x1000ULL * (i * 5ULL % n), 0x1000);
}

static struct profil_region with_gaps(u32 i, u32 n)
{
	return text(0x400000 + 0x1000ULL * (i * 5ULL % n), 0x800);
}

/* A program low, its libraries far away and close together. */
static struct profil_region clustered(u32 i, u32 n)
{
	if (i < n / 8)
		return text(0x555555554000 + 0x4000ULL * i, 0x3000);

	return text(0x7ffff0000000 + 0x20ULL * i, 0x10);
}

/* All over the address space, overlapping. */
static struct profil_region scattered(u32 i, u32 n)
{
	u64 z = (i + 1) * 0x9e3779b97f4a7c15;

	return text((z ^ z >> 29) >> 17, (1ULL << 47) / n * 2);
}

static struct profil_region nested(u32 i, u32 n)
{
	return text(0x400000 + 2ULL * i, 8ULL * n - 4ULL * i);
}

static struct profil_map *layout_map(layout_fn *layout, u32 n)
{
	struct profil_region *r = malloc(n * sizeof(*r));
	struct profil_map *map;
	u32 i;

	assert_non_null(r);
	for (i = 0; i < n; i++)
		r[i] = layout(i, n);
	assert_int_equal(profil_regions_check(r, n, no_pause), 0);
	map = build_map(r, n);
	free(r);

	return map;
}

/* The dearest of some pcs in a layout; all must be in a region. */
static int dearest(layout_fn *layout, u32 n, void (*call)(void))
{
	struct profil_map *map = layout_map(layout, n);
	int most = 0;
	u32 i;

	for (i = 0; i < n; i += 1 + n / 9) {
		u64 pc = layout(i, n).offset + 1;
		int cost = instructions(call, map, pc);

		assert_int_not_equal(profil_map_find(map, pc),
				     PROFIL_NO_REGION);
		most = cost > most ? cost : most;
	}
	free(map);

	return most;
}

static const struct {
	const char *name;
	layout_fn *layout;
} layouts[] = {
	{ "adjoining", adjoining },
	{ "with gaps", with_gaps },
	{ "clustered", clustered },
	{ "scattered", scattered },
	{ "nested", nested },
};

static void test_4096_regions_cost_little_more_than_1(void **state)
{
	size_t i;

	(void)state;
	if (!steps(do_nothing))
		skip();

	print_message("# instructions of a search (and the counter's address):\n");
	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		layout_fn *layout = layouts[i].layout;
		int one = dearest(layout, 1, search_and_address);
		int many = dearest(layout, 4096, search_and_address);

		print_message("# %10s: 1 region %d (%d), 64 %d, 4096 %d (%d)\n",
			      layouts[i].name, dearest(layout, 1, search), one,
			      dearest(layout, 64, search),
			      dearest(layout, 4096, search), many);
		assert_in_range(many, one, one + MORE_INSTRUCTIONS);
	}
}

static void test_every_pc_costs_the_same(void **state)
{
	struct profil_map *map = layout_map(clustered, 4096);
	static const u64 pcs[] = {
		0, 0x555555554000, 0x555555557fff, 0x600000000000,
		0x7ffff0010000, 0x7ffff0010010, U64_MAX - 1,
	};
	int cost;
	size_t i;

	(void)state;
	cost = instructions(search, map, 1);
	if (!cost) {
		free(map);
		skip();
	}
	for (i = 0; i < ARRAY_SIZE(pcs); i++)
		assert_int_equal(instructions(search, map, pcs[i]), cost);
	free(map);
}

static u64 build_blocks(layout_fn *layout, u32 n)
{
	struct profil_region *r = malloc(n * sizeof(*r));
	struct profil_map *map = malloc(profil_map_bytes(n));
	u32 i;

	assert_non_null(r);
	assert_non_null(map);
	for (i = 0; i < n; i++)
		r[i] = layout(i, n);
	blocks = 0;
	assert_int_equal(profil_map_build(map, r, n, no_pause), 0);
	free(map);
	free(r);

	return blocks;
}

/* n log n: 16 times the regions are 16 * 16 / 12 = 21.3 times the work, at most. */
static void test_a_build_takes_n_log_n_steps(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		u64 few = build_blocks(layouts[i].layout, 4096);
		u64 many = build_blocks(layouts[i].layout, 65536);

		print_message("# %10s: %u blocks per region of 65536\n",
			      layouts[i].name, (unsigned int)(many / 65536));
		assert_true(few >= 4096);
		assert_in_range(many, 15 * few, 24 * few);
	}
}

/* The longest way from one call of pause() to the next. */
static u64 last_pause, longest;

static int measuring_pause(void)
{
	longest = blocks - last_pause > longest ? blocks - last_pause : longest;
	last_pause = blocks;
	return 0;
}

static struct profil_region *layout_regions(layout_fn *layout, u32 n)
{
	struct profil_region *r = malloc(n * sizeof(*r));
	u32 i;

	assert_non_null(r);
	for (i = 0; i < n; i++)
		r[i] = layout(i, n);

	return r;
}

/* All end at the same pc, and begin at another: one step of the sweep. */
static struct profil_region same(u32 i, u32 n)
{
	(void)i;
	(void)n;
	return text(0x400000, 0x1000);
}

/* Each of them is sorted to the other end. */
static struct profil_region descending(u32 i, u32 n)
{
	return text(0x400000 + 0x1000ULL * (n - i), 0x1000);
}

static const struct {
	const char *name;
	layout_fn *layout;
} hard[] = {
	{ "adjoining", adjoining },
	{ "clustered", clustered },
	{ "scattered", scattered },
	{ "nested", nested },
	{ "same", same },
	{ "descending", descending },
};

static void test_a_request_never_goes_on_for_long_without_a_pause(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(hard); i++) {
		struct profil_region *r = layout_regions(hard[i].layout, 65536);
		struct profil_map *map = malloc(profil_map_bytes(65536));

		assert_non_null(map);
		longest = last_pause = blocks = 0;
		assert_int_equal(profil_regions_check(r, 65536, measuring_pause), 0);
		assert_int_equal(profil_map_build(map, r, 65536, measuring_pause), 0);
		measuring_pause();
		print_message("# %10s: %u blocks in all, at most %u without a pause\n",
			      hard[i].name, (unsigned int)blocks,
			      (unsigned int)longest);
		assert_in_range(longest, 1, MOST_BLOCKS);
		free(map);
		free(r);
	}
}

static u32 pauses, pauses_allowed;

static int limited_pause(void)
{
	return ++pauses > pauses_allowed ? -EINTR : 0;
}

/* Also in the middle of each of its parts: nothing is asked a second time. */
static void test_a_pause_that_fails_ends_the_request(void **state)
{
	struct profil_region *r = layout_regions(scattered, 4096);
	struct profil_map *map = malloc(profil_map_bytes(4096));
	u32 all;

	(void)state;
	assert_non_null(map);
	pauses = 0;
	pauses_allowed = U32_MAX;
	assert_int_equal(profil_map_build(map, r, 4096, limited_pause), 0);
	all = pauses;
	assert_in_range(all, 50, 4096);
	for (pauses_allowed = 0; pauses_allowed < all; pauses_allowed++) {
		pauses = 0;
		assert_int_equal(profil_map_build(map, r, 4096, limited_pause), -EINTR);
		assert_int_equal(pauses, pauses_allowed + 1);
	}
	pauses = pauses_allowed = 0;
	assert_int_equal(profil_regions_check(r, 4096, limited_pause), -EINTR);
	assert_int_equal(pauses, 1);
	free(map);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_4096_regions_cost_little_more_than_1),
		cmocka_unit_test(test_every_pc_costs_the_same),
		cmocka_unit_test(test_a_build_takes_n_log_n_steps),
		cmocka_unit_test(test_a_request_never_goes_on_for_long_without_a_pause),
		cmocka_unit_test(test_a_pause_that_fails_ends_the_request),
	};

	return cmocka_run_group_tests_name("region_cost", tests, NULL, NULL);
}

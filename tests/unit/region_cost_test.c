// SPDX-License-Identifier: LGPL-2.1-or-later
/* What regions cost, in basic blocks; tests/bench has the instructions. */
#include <linux/limits.h>

#include "region_reference.h"
#include "unit.h"

/* Between two calls of pause(), no more basic blocks than this. */
#define MOST_BLOCKS		32768

/* Basic blocks so far, of what is compiled to call this. */
static volatile unsigned long blocks;

void __sanitizer_cov_trace_pc(void);

/* It does not call itself. */
#ifdef __clang__
__attribute__((no_sanitize("coverage")))
#else
__attribute__((no_sanitize_coverage))
#endif
void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

static u64 search_blocks(const struct profil_map *map, u64 pc)
{
	static volatile u32 found;
	u64 before = blocks;

	found = profil_map_find(map, pc);
	(void)found;
	return blocks - before;
}

/* Layouts of n regions: where the i-th one begins, and its size. */
typedef struct profil_region layout_fn(u32 i, u32 n);

static struct profil_region text(u64 offset, u64 size)
{
	return (struct profil_region) {
		.buf = 0x7f0000001000, .size = size & ~1ULL, .offset = offset,
		.scale = 0x10000, .width = 2,
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

static struct profil_region *layout_regions(layout_fn *layout, u32 n)
{
	struct profil_region *r = malloc(n * sizeof(*r));

	assert_non_null(r);
	for (u32 i = 0; i < n; i++)
		r[i] = layout(i, n);
	assert_int_equal(profil_regions_check(r, n, no_pause), 0);

	return r;
}

static struct profil_map *layout_map(layout_fn *layout, u32 n)
{
	struct profil_region *r = layout_regions(layout, n);
	struct profil_map *map = build_map(r, n);

	free(r);
	return map;
}

static const struct {
	const char *name;
	layout_fn *layout;
} layouts[] = {
	{ "adjoining", adjoining }, { "with gaps", with_gaps },
	{ "clustered", clustered }, { "scattered", scattered },
	{ "nested", nested },
	/* Hard ones to build, and not all pcs of theirs are found. */
	{ "same", same }, { "descending", descending },
};

/* One level of the search more each time there are twice as many regions. */
TEST(a_search_takes_the_same_steps_in_any_layout)
{
	static const u64 pcs[] = {
		0, 0x400001, 0x555555554000, 0x555555557fff, 0x600000000000,
		0x7ffff0010000, 0x7ffff0010010, U64_MAX - 1,
	};
	u64 last = 0;

	for (u32 n = 1; n <= 65536; n *= 2) {
		struct profil_map *map = layout_map(adjoining, n);
		u64 want = search_blocks(map, 1);

		assert_in_range(want, last + (n == 1), n == 1 ? 8 : last + 3);
		last = want;
		free(map);
		for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
			map = layout_map(layouts[i].layout, n);
			for (size_t k = 0; k < ARRAY_SIZE(pcs); k++)
				assert_int_equal(search_blocks(map, pcs[k]), want);
			for (u32 k = 0; k < n; k += 1 + n / 9) {
				u64 pc = layouts[i].layout(k, n).offset + 1;

				assert_int_equal(search_blocks(map, pc), want);
			}
			free(map);
		}
	}
	print_message("# %u blocks of a search of 65536 regions\n", (unsigned int)last);
}

static u64 build_blocks(layout_fn *layout, u32 n)
{
	struct profil_region *r = layout_regions(layout, n);
	struct profil_map *map = malloc(profil_map_bytes(n));

	assert_non_null(map);
	blocks = 0;
	assert_int_equal(profil_map_build(map, r, n, no_pause), 0);
	free(map);
	free(r);

	return blocks;
}

/* n log n: 16 times the regions are 16 * 16 / 12 = 21.3 times the work, at most. */
TEST(a_build_takes_n_log_n_steps)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
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

TEST(a_request_pauses_often)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct profil_region *r = layout_regions(layouts[i].layout, 65536);
		struct profil_map *map = malloc(profil_map_bytes(65536));

		assert_non_null(map);
		longest = last_pause = blocks = 0;
		assert_int_equal(profil_regions_check(r, 65536, measuring_pause), 0);
		assert_int_equal(profil_map_build(map, r, 65536, measuring_pause), 0);
		measuring_pause();
		print_message("# %10s: %u blocks in all, at most %u without a pause\n",
			      layouts[i].name, (unsigned int)blocks, (unsigned int)longest);
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
TEST(a_pause_that_fails_ends_the_request)
{
	struct profil_region *r = layout_regions(scattered, 4096);
	struct profil_map *map = malloc(profil_map_bytes(4096));
	u32 all;

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

UNIT_MAIN("region_cost", NULL, NULL, NULL, NULL)

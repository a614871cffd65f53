// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From a pc to its counter, and what a tick does to it: the rules, as tables.
 *
 * Each system's formula is one of three rules. What a system makes of special
 * scales before the formula is its dialect and belongs to the library, so the
 * cells of the tables that come from that are left out here, with the reason.
 */
#include <stdlib.h>

#include <linux/limits.h>

#include "region_reference.h"
#include "unit.h"

#define DOWN	PROFIL_INDEX_BYTE_DOWN
#define UP	PROFIL_INDEX_BYTE_UP
#define ELEMENT	PROFIL_INDEX_ELEMENT

/* Where the counters of these tests are; nobody looks there. */
#define BUF	0x7f0000001000ULL

static struct profil_region region(unsigned int rule, unsigned int width,
				   u32 scale, u64 offset, u64 size)
{
	return (struct profil_region) {
		.buf	= BUF,
		.size	= size,
		.offset	= offset,
		.scale	= scale,
		.width	= width,
		.index	= rule,
	};
}

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

static void assert_index(unsigned int rule, unsigned int width, u32 scale,
			 u64 offset, u64 pc, u64 want)
{
	struct profil_region r = region(rule, width, scale, offset, 1ULL << 40);

	assert_int_equal(reference_index(rule, width, scale, pc - offset), want);
	assert_int_equal(counter(&r, pc), BUF + want * width);
}

/*
 * The worked examples: 2-byte counters, offset 0x401000.
 *
 *  down:    illumos, 4.4BSD, FreeBSD, NetBSD, OpenBSD, macOS, Tru64
 *  up:      AIX
 *  element: glibc, uClibc, Cygwin, mingw
 *
 * Not here: 4.3BSD on the VAX and V7 drop the low bits of distance and scale,
 * which no dialect asks for.
 */
static const struct example {
	u64 pc;
	u32 scale;
	u64 down, up, element;
} examples[] = {
	/* AIX sees only the low 16 bits of a scale: 0x10000 is off there. */
	{ 0x401000, 0x10000,     0,     0,     0 },
	{ 0x401003, 0x10000,     1,     2,     1 },
	{ 0x401002, 0xffff,      0,     1,     0 },
	{ 0x401003, 0xffff,      1,     1,     0 },
	{ 0x401004, 0xffff,      1,     2,     1 },
	{ 0x401010, 0x8000,      4,     4,     4 },
	{ 0x401012, 0x8000,      4,     5,     4 },
	{ 0x401017, 0x4000,      2,     3,     2 },
	{ 0x401003, 0xaaab,      1,     1,     0 },
	{ 0x401236, 0x5555,     94,    94,    94 },
	{ 0x411000, 0x4000,   8192,  8192,  8192 },
	{ 0x421000, 0xffff,  65535, 65535, 65535 },
	/* Ordinary on BSD. Where it is special, the library asks for scale 0. */
	{ 0x411002, 2,           1,     1,     1 },
	{ 0x421000, 2,           2,     2,     2 },
	{ 0x411002, 0,           0,     0,     0 },
	{ 0x421000, 0,           0,     0,     0 },
	/* Ordinary on BSD and off elsewhere, which is no region at all. */
	{ 0x421000, 1,           1,     1,     1 },
	{ 0x421000, 3,           3,     3,     3 },
	/* BSD and Cygwin refuse it, illumos and the others take it. */
	{ 0x401010, 0x18000,    12,    12,    12 },
	/* What AIX takes it for. */
	{ 0x401010, 0x8000,      4,     4,     4 },
};

TEST(worked_examples)
{
	const u64 offset = 0x401000;

	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *e = &examples[i];

		assert_index(DOWN, 2, e->scale, offset, e->pc, e->down);
		assert_index(UP, 2, e->scale, offset, e->pc, e->up);
		assert_index(ELEMENT, 2, e->scale, offset, e->pc, e->element);
	}
}

/* Other widths, and where two rules differ. */
TEST(examples_of_wider_counters)
{
	static const struct {
		unsigned int rule, width;
		u32 scale;
		u64 d, index;
	} rows[] = {
		{ DOWN, 2, 0x8000, 4, 1 }, { DOWN, 4, 0x10000, 4, 1 },
		{ DOWN, 8, 0x8000, 100, 6 }, { ELEMENT, 8, 0x8000, 100, 6 },
		{ DOWN, 2, 8192, 15, 0 }, { DOWN, 2, 8192, 16, 1 },
		{ DOWN, 2, 0xffff, 3, 1 }, { ELEMENT, 2, 0xffff, 3, 0 },
		{ DOWN, 4, 0xc000, 6, 1 }, { ELEMENT, 4, 0xc000, 6, 0 },
		{ DOWN, 4, 0x20000, 2, 1 }, { ELEMENT, 4, 0x20000, 2, 0 },
		{ UP, 4, 0x10000, 5, 2 }, { UP, 8, 0x10000, 8, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_index(rows[i].rule, rows[i].width, rows[i].scale, 0x4000,
			     0x4000 + rows[i].d, rows[i].index);
}

/* For buffers of a size in bytes: the first distance not counted. */
static const struct {
	unsigned int rule, width;
	u32 scale;
	u64 size, end;
} ends[] = {
	/* Half a counter is no counter. */
	{ DOWN, 2, 0x10000, 0, 0 },
	{ DOWN, 2, 0x10000, 1, 0 },
	{ DOWN, 2, 0x10000, 2, 2 },
	{ DOWN, 2, 0x10000, 3, 2 },
	{ DOWN, 4, 0x10000, 7, 4 },
	{ DOWN, 8, 0x10000, 15, 8 },
	{ UP, 2, 0x10000, 1, 0 },
	{ UP, 8, 0x8000, 7, 0 },
	{ ELEMENT, 2, 0x10000, 1, 0 },
	/* Rounding up leaves one distance to the first counter. */
	{ UP, 2, 0x10000, 2, 1 },
	{ UP, 2, 0x10000, 4, 3 },
	{ UP, 2, 0x8000, 4, 6 },
	{ UP, 4, 0x10000, 8, 5 },
	/* The end of the last counter is rarely a whole number of bytes. */
	{ DOWN, 2, 0xffff, 2, 3 },
	{ DOWN, 2, 0xffff, 4, 5 },
	{ DOWN, 2, 3, 2, 43691 },
	{ ELEMENT, 2, 0xffff, 2, 4 },
	{ ELEMENT, 2, 0xc000, 2, 4 },
	{ DOWN, 2, 0xc000, 2, 3 },
	{ ELEMENT, 4, 0x20000, 4, 4 },
	{ DOWN, 4, 0x20000, 4, 2 },
	{ DOWN, 2, 1, 2, 0x20000 },
	/* Several counters per byte of text. */
	{ DOWN, 2, U32_MAX, 2, 1 },
	{ DOWN, 2, U32_MAX, 0x1ffff, 2 },
	{ UP, 2, U32_MAX, 2, 1 },
	{ ELEMENT, 2, U32_MAX, 0x1fffe, 2 },
	{ ELEMENT, 2, U32_MAX, 0x200000, 34 },
	/* Scale 0: all in counter 0, if there is one. */
	{ DOWN, 2, 0, 2, U64_MAX },
	{ UP, 2, 0, 2, U64_MAX },
	{ ELEMENT, 2, 0, 2, U64_MAX },
	{ DOWN, 2, 0, 1, 0 },
	{ UP, 2, 0, 0, 0 },
	{ ELEMENT, 8, 0, 7, 0 },
	/* Buffers that cover more than there are pcs. */
	{ DOWN, 2, 0x10000, 1ULL << 62, 1ULL << 62 },
	{ DOWN, 2, 0x4000, 1ULL << 62, U64_MAX },
	{ DOWN, 2, 0x4001, 1ULL << 62, 0xfffc000fffc00100 },
	{ DOWN, 2, 1, 1ULL << 48, U64_MAX },
	{ DOWN, 2, 1, (1ULL << 48) - 2, 0xfffffffffffe0000 },
	{ UP, 2, 1, 1ULL << 48, 0xffffffffffff0000 },
	{ UP, 2, 1, (1ULL << 48) + 2, U64_MAX },
	{ ELEMENT, 2, 1, 1ULL << 48, U64_MAX },
	{ ELEMENT, 8, 1, 1ULL << 47, 1ULL << 63 },
	{ ELEMENT, 8, 1, 1ULL << 48, U64_MAX },
};

TEST(pcs_end_with_the_last_whole_counter)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct profil_region r = region(ends[i].rule, ends[i].width,
						ends[i].scale, 0, ends[i].size);
		u64 n = ends[i].size / ends[i].width;

		assert_int_equal(profil_region_check(&r), 0);
		assert_int_equal(profil_region_end(&r), ends[i].end);
		if (ends[i].end)
			assert_true(reference_index(r.index, r.width, r.scale,
						    ends[i].end - 1) < n);
		if (ends[i].end != U64_MAX)
			assert_true(reference_index(r.index, r.width, r.scale,
						    ends[i].end) >= n);
	}
}

TEST(end_is_never_beyond_the_last_pc)
{
	struct profil_region r = region(DOWN, 2, 0x10000, U64_MAX - 7, 8);

	r.buf = 0;
	assert_int_equal(profil_region_end(&r), U64_MAX);
	r.size = 1ULL << 62;
	assert_int_equal(profil_region_end(&r), U64_MAX);
	r.size = 6;
	assert_int_equal(profil_region_end(&r), U64_MAX - 1);
}

/* --- what one more tick does to a counter ------------------------------------- */

#define SATURATE	PROFIL_LIMIT_SATURATE
#define WRAP		PROFIL_LIMIT_WRAP
#define STOP		PROFIL_LIMIT_STOP

#define STORED		PROFIL_COUNT_STORE
#define SATURATED	PROFIL_COUNT_SATURATED
#define STOPPED		PROFIL_COUNT_STOP

static const struct step {
	unsigned int width, at_limit;
	u64 limit, old;
	enum profil_count what;
	u64 new;
} steps[] = {
	/* Below the limit they are all the same. */
	{ 2, SATURATE, 0, 0, STORED, 1 },
	{ 2, WRAP, 0, 0, STORED, 1 },
	{ 2, STOP, 0, 0, STORED, 1 },
	{ 4, SATURATE, 0, 65535, STORED, 65536 },
	{ 8, SATURATE, 0, U32_MAX, STORED, 1ULL << 32 },

	/* Solaris: all stops at the tick that would exceed 32767. */
	{ 2, STOP, 32767, 32765, STORED, 32766 },
	{ 2, STOP, 32767, 32766, STORED, 32767 },
	{ 2, STOP, 32767, 32767, STOPPED, 0 },
	{ 2, STOP, 32767, 32768, STOPPED, 0 },
	{ 2, STOP, 32767, 65535, STOPPED, 0 },

	/* BSD, glibc's profil: they wrap. */
	{ 2, WRAP, 0, 65534, STORED, 65535 },
	{ 2, WRAP, 0, 65535, STORED, 0 },
	{ 4, WRAP, 0, U32_MAX - 1, STORED, U32_MAX },
	{ 4, WRAP, 0, U32_MAX, STORED, 0 },
	{ 8, WRAP, 0, U64_MAX - 1, STORED, U64_MAX },
	{ 8, WRAP, 0, U64_MAX, STORED, 0 },

	/* AIX, HP-UX, glibc's sprofil: they stay at what the width holds. */
	{ 2, SATURATE, 0, 65534, STORED, 65535 },
	{ 2, SATURATE, 0, 65535, SATURATED, 0 },
	{ 2, SATURATE, 65535, 65535, SATURATED, 0 },
	{ 4, SATURATE, 0, U32_MAX - 1, STORED, U32_MAX },
	{ 4, SATURATE, 0, U32_MAX, SATURATED, 0 },
	{ 4, SATURATE, U32_MAX, U32_MAX - 1, STORED, U32_MAX },
	{ 8, SATURATE, 0, U64_MAX - 1, STORED, U64_MAX },
	{ 8, SATURATE, 0, U64_MAX, SATURATED, 0 },
	{ 8, SATURATE, U64_MAX, U64_MAX, SATURATED, 0 },
	{ 8, STOP, 0, U64_MAX, STOPPED, 0 },

	/* A limit of the caller's; a buffer that was not empty. */
	{ 2, SATURATE, 1, 0, STORED, 1 },
	{ 2, SATURATE, 1, 1, SATURATED, 0 },
	{ 4, SATURATE, 65535, 65535, SATURATED, 0 },
	{ 4, SATURATE, 65535, 65536, SATURATED, 0 },
	{ 8, SATURATE, 10, U64_MAX, SATURATED, 0 },
	{ 8, STOP, 10, 11, STOPPED, 0 },
};

TEST(counters_at_their_limits)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		const struct step *s = &steps[i];
		struct profil_region r = {
			.size = 8, .width = s->width, .limit = s->limit,
			.at_limit = s->at_limit,
		};
		struct profil_map *map = build_map(&r, 1);
		u64 new = 0;

		assert_int_equal(profil_region_check(&r), 0);
		assert_int_equal(profil_counter_next(profil_map_region(map, 0),
						     s->old, &new), s->what);
		assert_int_equal(new, s->new);
		assert_int_equal(reference_next(&r, s->old, &new), s->what);
		assert_int_equal(new, s->new);
		free(map);
	}
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

UNIT_MAIN("region_counter", NULL, NULL, NULL, NULL)

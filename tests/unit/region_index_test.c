// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From a pc to its counter: the index rules, as tables.
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

/* The index that a tick uses, by way of a compiled region. */
static u64 index_in_map(unsigned int rule, unsigned int width, u32 scale,
			u64 offset, u64 pc)
{
	struct profil_region r = region(rule, width, scale, offset, 1ULL << 40);
	struct profil_map *map = build_map(&r, 1);
	u64 at;

	assert_int_equal(profil_regions_check(&r, 1, no_pause), 0);
	assert_int_equal(profil_map_find(map, pc), 0);
	at = profil_region_counter(profil_map_region(map, 0), pc) - BUF;
	free(map);
	assert_int_equal(at % width, 0);

	return at / width;
}

static void assert_index(unsigned int rule, unsigned int width, u32 scale,
			 u64 offset, u64 pc, u64 want)
{
	u64 d = pc - offset;

	assert_int_equal(reference_index(rule, width, scale, d), want);
	assert_int_equal(index_in_map(rule, width, scale, offset, pc), want);
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

static void test_worked_examples(void **state)
{
	const u64 offset = 0x401000;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *e = &examples[i];

		assert_index(DOWN, 2, e->scale, offset, e->pc, e->down);
		assert_index(UP, 2, e->scale, offset, e->pc, e->up);
		assert_index(ELEMENT, 2, e->scale, offset, e->pc, e->element);
	}
}

/* The examples of sprofil(2) for wider counters. */
static void test_sprofil_examples(void **state)
{
	(void)state;
	assert_index(DOWN, 2, 0x8000, 0, 4, 1);
	assert_index(DOWN, 4, 0x10000, 0, 4, 1);
	assert_index(DOWN, 8, 0x8000, 0, 100, 6);
	assert_index(ELEMENT, 8, 0x8000, 0, 100, 6);
	assert_index(DOWN, 2, 8192, 0, 15, 0);
	assert_index(DOWN, 2, 8192, 0, 16, 1);
}

/* Distances below 4096 for which two rules give different counters. */
static int differences(unsigned int width, u32 scale)
{
	int n = 0;
	u64 d;

	for (d = 0; d < 4096; d++)
		n += index_in_map(DOWN, width, scale, 0, d) !=
		     index_in_map(ELEMENT, width, scale, 0, d);

	return n;
}

static void test_down_and_element_differ_where_they_should(void **state)
{
	(void)state;
	assert_int_equal(differences(2, 0xffff), 2047);
	assert_int_equal(differences(2, 0xaaab), 683);
	assert_int_equal(differences(2, 0xc000), 512);
	assert_int_equal(differences(4, 0xc000), 768);
	assert_int_equal(differences(4, 0x8000), 0);
	assert_int_equal(differences(4, 0x10000), 0);

	assert_index(DOWN, 2, 0xffff, 0, 3, 1);
	assert_index(ELEMENT, 2, 0xffff, 0, 3, 0);
	assert_index(DOWN, 4, 0xc000, 0, 6, 1);
	assert_index(ELEMENT, 4, 0xc000, 0, 6, 0);
	assert_index(DOWN, 4, 0x20000, 0, 2, 1);
	assert_index(ELEMENT, 4, 0x20000, 0, 2, 0);
}

static void test_down_and_element_agree_at_even_distances(void **state)
{
	u32 scale;
	u64 d;

	(void)state;
	for (scale = 0; scale <= 0x20000; scale += 0x1d1)
		for (d = 0; d < 4096; d += 34)
			assert_int_equal(index_in_map(DOWN, 2, scale, 0, d),
					 index_in_map(ELEMENT, 2, scale, 0, d));
}

static void test_down_and_element_agree_at_powers_of_two(void **state)
{
	u32 scale;

	(void)state;
	for (scale = 2; scale <= 0x10000; scale *= 2)
		assert_int_equal(differences(2, scale), 0);
}

/*
 * The tables of HP-UX's sprofil(2): instructions per counter, in quarters.
 * Counters of less than an instruction are counted too, although the page
 * leaves them undefined.
 */
struct ratio {
	u32 scale;
	u32 quarters[3];	/* of 2-, 4- and 8-byte counters */
};

#define RATIO(scale, a, b, c)	{ scale, { 4 * (a), 4 * (b), 4 * (c) } }

static const struct ratio pa_risc[] = {
	RATIO(2, 16384, 32768, 65536),
	RATIO(4, 8192, 16384, 32768),
	RATIO(8, 4096, 8192, 16384),
	RATIO(16, 2048, 4096, 8192),
	RATIO(32, 1024, 2048, 4096),
	RATIO(64, 512, 1024, 2048),
	RATIO(128, 256, 512, 1024),
	RATIO(256, 128, 256, 512),
	RATIO(512, 64, 128, 256),
	RATIO(1024, 32, 64, 128),
	RATIO(2048, 16, 32, 64),
	RATIO(4096, 8, 16, 32),
	RATIO(8192, 4, 8, 16),
	RATIO(16384, 2, 4, 8),
	RATIO(32768, 1, 2, 4),
	{ 65536, { 2, 4, 8 } },
	{ 131072, { 1, 2, 4 } },
};

static const struct ratio itanium[] = {
	RATIO(2, 4096, 8192, 16384),
	RATIO(4, 2048, 4096, 8192),
	RATIO(8, 1024, 2048, 4096),
	RATIO(16, 512, 1024, 2048),
	RATIO(32, 256, 512, 1024),
	RATIO(64, 128, 256, 512),
	RATIO(128, 64, 128, 256),
	RATIO(256, 32, 64, 128),
	RATIO(512, 16, 32, 64),
	RATIO(1024, 8, 16, 32),
	RATIO(2048, 4, 8, 16),
	RATIO(4096, 2, 4, 8),
	RATIO(8192, 1, 2, 4),
	{ 16384, { 2, 4, 8 } },
	{ 32768, { 1, 2, 4 } },
};

/* The n-th instruction, around the edges of the first 40 counters. */
static void assert_ratio(u64 bytes, unsigned int width, u32 scale, u32 quarters)
{
	u64 counter;

	for (counter = 1; counter < 40; counter++) {
		u64 n = (counter * quarters + 3) / 4;

		assert_index(DOWN, width, scale, 0x4000, 0x4000 + n * bytes,
			     4 * n / quarters);
		n--;
		assert_index(DOWN, width, scale, 0x4000, 0x4000 + n * bytes,
			     4 * n / quarters);
	}
}

static void assert_ratios(const struct ratio *table, size_t rows, u64 bytes)
{
	size_t row;

	for (row = 0; row < rows; row++) {
		const struct ratio *r = &table[row];

		assert_ratio(bytes, 2, r->scale, r->quarters[0]);
		assert_ratio(bytes, 4, r->scale, r->quarters[1]);
		assert_ratio(bytes, 8, r->scale, r->quarters[2]);
	}
}

static void test_hpux_pa_risc_table(void **state)
{
	(void)state;
	assert_ratios(pa_risc, ARRAY_SIZE(pa_risc), 4);
}

static void test_hpux_itanium_table(void **state)
{
	(void)state;
	assert_ratios(itanium, ARRAY_SIZE(itanium), 16);
}

/* Where 64 bits are not enough for a product or an index. */
static const struct {
	unsigned int rule, width;
	u32 scale;
	u64 d, index;
} extremes[] = {
	{ DOWN, 2, 0x10000, U64_MAX, U64_MAX / 2 },
	{ DOWN, 2, 0x20000, U64_MAX, U64_MAX },
	{ DOWN, 2, 0x20001, U64_MAX, U64_MAX },
	{ DOWN, 2, U32_MAX, U64_MAX, U64_MAX },
	{ DOWN, 8, 0x80000, U64_MAX, U64_MAX },
	{ DOWN, 8, 0x7ffff, 1ULL << 63, 0x7ffff00000000000 },
	{ DOWN, 2, U32_MAX, 1ULL << 48, 0x7fffffff80000000 },
	{ DOWN, 2, U32_MAX, 1ULL << 49, 0xffffffff00000000 },
	{ DOWN, 2, U32_MAX, (1ULL << 49) + (1ULL << 17), U64_MAX },
	{ DOWN, 2, 1, U64_MAX, U64_MAX >> 17 },
	{ DOWN, 4, 0x18000, 0x7fffffffffffffff, 0x2fffffffffffffff },
	{ UP, 2, 0x10000, U64_MAX, 1ULL << 63 },
	{ UP, 2, 0x20000, U64_MAX - 1, U64_MAX - 1 },
	{ UP, 2, 0x1ffff, U64_MAX, 0xffff7fffffffffff },
	{ UP, 4, 0x10000, U64_MAX, 1ULL << 62 },
	{ UP, 8, 0x10000, U64_MAX, 1ULL << 61 },
	{ UP, 8, 0x10000, U64_MAX - 7, U64_MAX >> 3 },
	/* Only rounding makes it too large. */
	{ UP, 2, 0x20001, 0xffff80003fffe000, U64_MAX },
	{ UP, 8, 0x80001, 0xffffe00003ffff80, U64_MAX },
	{ ELEMENT, 2, 0x10000, U64_MAX, U64_MAX / 2 },
	{ ELEMENT, 2, 0x20000, U64_MAX, U64_MAX - 1 },
	{ ELEMENT, 2, 0x20001, U64_MAX, U64_MAX },
	{ ELEMENT, 8, U32_MAX, U64_MAX, U64_MAX },
	{ ELEMENT, 8, 0x80000, U64_MAX, U64_MAX - 7 },
};

/* No buffer is so large: what the module's own are held against. */
static void test_the_reference_is_exact_to_the_last_bit(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(extremes); i++)
		assert_int_equal(reference_index(extremes[i].rule,
						 extremes[i].width,
						 extremes[i].scale,
						 extremes[i].d),
				 extremes[i].index);
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

static void test_pcs_end_with_the_last_whole_counter(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
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

static void test_end_is_never_beyond_the_last_pc(void **state)
{
	struct profil_region r = region(DOWN, 2, 0x10000, U64_MAX - 7, 8);

	(void)state;
	r.buf = 0;
	assert_int_equal(profil_region_end(&r), U64_MAX);
	r.size = 1ULL << 62;
	assert_int_equal(profil_region_end(&r), U64_MAX);
	r.size = 6;
	assert_int_equal(profil_region_end(&r), U64_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked_examples),
		cmocka_unit_test(test_sprofil_examples),
		cmocka_unit_test(test_down_and_element_differ_where_they_should),
		cmocka_unit_test(test_down_and_element_agree_at_even_distances),
		cmocka_unit_test(test_down_and_element_agree_at_powers_of_two),
		cmocka_unit_test(test_hpux_pa_risc_table),
		cmocka_unit_test(test_hpux_itanium_table),
		cmocka_unit_test(test_the_reference_is_exact_to_the_last_bit),
		cmocka_unit_test(test_pcs_end_with_the_last_whole_counter),
		cmocka_unit_test(test_end_is_never_beyond_the_last_pc),
	};

	return cmocka_run_group_tests_name("region_index", tests, NULL, NULL);
}

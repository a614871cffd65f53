// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a histogram counts and where: regions, counters, index rules, limits.
 * The arithmetic is tested value by value in the unit tests; here it is that
 * the kernel applies it to the right memory, all of it and nothing else.
 */
#include "harness.h"
#include "device.h"
#include "work.h"

#define TICKS	20

static const unsigned int widths[] = { 2, 4, 8 };

#define EACH_WIDTH(w)	unsigned int w = 2; w <= 8; w *= 2

static void some_wide(void)
{
	hot_wide(40);
}

static void some_b(void)
{
	hot_b(10000);
}

static void run_ticks(uint64_t n)
{
	CHECK(work_for_ticks(n));
}

static struct profil_status stopped(void)
{
	struct profil_status st;

	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	return st;
}

TEST(hot_loop_is_counted_in_its_own_counters)
{
	static uint16_t before[8], buf[64], after[8];
	struct text text = text_a();
	struct profil_status st;

	CHECK_LE(text.hi - text.lo, sizeof(buf));
	CHECK_EQ(start_region(one_to_one(buf, sizeof(buf), 2, text), PROFIL_RATE_TICK), 0);
	run_ticks(TICKS);
	st = stopped();
	CHECK_EQ(sum(buf, 64, 2), st.counted);
	CHECK_GE(st.counted, most_of(TICKS));
	CHECK_EQ(sum(before, 8, 2) + sum(after, 8, 2), 0);
}

TEST(each_block_of_a_long_loop_has_its_counter)
{
	static uint32_t buf[WIDE_BLOCKS * WIDE_BYTES / 4 + 64];
	struct text text = text_wide();
	struct profil_status st;
	unsigned int hit = 0;

	CHECK_EQ(start_region(one_to_one(buf, sizeof(buf), 4, text), PROFIL_RATE_TICK), 0);
	/*
	 * 80 ticks over 256 blocks hit 69 of them on average; fewer where the CPU is
	 * emulated by a busy machine, and ticks come when it is let run again.
	 */
	for (unsigned int round = 1; round <= 25 && hit < 40; round++) {
		CHECK(work_until(4 * TICKS, some_wide));
		hit = 0;
		for (size_t i = 0; i < sizeof(buf) / 4; i++)
			hit += ((volatile uint32_t *)buf)[i] != 0;
	}
	st = stopped();
	CHECK_EQ(sum(buf, sizeof(buf) / 4, 4), st.counted);
	CHECK_GE(hit, 40);
}

TEST(pcs_outside_every_region_are_seen_but_not_counted)
{
	uint16_t buf[64] = { 0 };
	struct profil_status st;

	CHECK_EQ(start_region(one_to_one(buf, sizeof(buf), 2, text_b()), PROFIL_RATE_TICK), 0);
	run_ticks(TICKS);
	st = stopped();
	CHECK_GE(st.ticks, TICKS);
	CHECK_EQ(st.outside, st.ticks);
	CHECK_EQ(sum(buf, 64, 2), 0);
}

TEST(pc_start_and_pc_end_bound_what_is_counted)
{
	static uint32_t buf[WIDE_BLOCKS * WIDE_BYTES / 4 + 64];
	struct text text = text_wide();
	struct profil_region region = one_to_one(buf, sizeof(buf), 4, text);
	struct profil_status st;

	region.pc_start = text.lo + 1024;
	region.pc_end = text.lo + 3072;
	CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
	CHECK(work_until(4 * TICKS, some_wide));
	st = stopped();
	CHECK_GT(st.counted, 0);
	CHECK_GT(st.outside, 0);
	CHECK_EQ(sum(buf + 1024 / 4, 2048 / 4, 4), st.counted);
	CHECK_EQ(sum(buf, 1024 / 4, 4), 0);
	CHECK_EQ(sum(buf + 3072 / 4, sizeof(buf) / 4 - 3072 / 4, 4), 0);
}

TEST(end_of_the_buffer_bounds_what_is_counted)
{
	static uint32_t buf[WIDE_BLOCKS * WIDE_BYTES / 4 + 64];
	struct profil_region region = one_to_one(buf, 1026, 4, text_wide());
	struct profil_status st;

	region.pc_end = 0;
	CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
	CHECK(work_until(4 * TICKS, some_wide));
	st = stopped();
	CHECK_GT(st.counted, 0);
	CHECK_GT(st.outside, 0);
	/* 1026 bytes: 256 whole counters and two bytes that stay as they are. */
	CHECK_EQ(sum(buf, 256, 4), st.counted);
	CHECK_EQ(sum(buf + 256, sizeof(buf) / 4 - 256, 4), 0);
}

TEST(every_tick_of_the_process_is_counted_by_a_region_of_all_pcs)
{
	for (EACH_WIDTH(width)) {
		uint64_t buf = 0;
		struct profil_status st;

		CHECK_EQ(start_region(everything(&buf, sizeof(buf), width),
				      PROFIL_RATE_TICK), 0);
		run_ticks(TICKS);
		st = stopped();
		CHECK_EQ(st.outside, 0);
		CHECK_EQ(st.counted, st.ticks);
		CHECK_EQ(counter(&buf, 0, width), st.counted);
		CHECK_EQ(sum(&buf, 8 / width, width), st.counted);
	}
}

TEST(unaligned_counters_count_at_every_offset)
{
	for (EACH_WIDTH(width)) {
		for (unsigned int shift = 1; shift < 8; shift++) {
			unsigned char buf[32] = { 0 };
			struct profil_status st;

			CHECK_EQ(start_region(everything(buf + 8 + shift, width, width),
					      PROFIL_RATE_TICK), 0);
			run_ticks(6);
			st = stopped();
			CHECK_EQ(counter(buf + 8 + shift, 0, width), st.ticks);
			/* Nothing else: the bytes of the count, and zeros. */
			memset(buf + 8 + shift, 0, width);
			CHECK_EQ(sum(buf, 4, 8), 0);
		}
	}
}

TEST(counter_that_straddles_two_pages_counts)
{
	long size = sysconf(_SC_PAGESIZE);

	for (EACH_WIDTH(width)) {
		for (unsigned int below = 1; below < width; below++) {
			/* Fresh pages: neither of the two is there. */
			char *buf = mmap(NULL, 2 * (size_t)size, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			struct profil_status st;

			CHECK(buf != MAP_FAILED);
			CHECK_EQ(start_region(everything(buf + size - below, width, width),
					      PROFIL_RATE_TICK), 0);
			run_ticks(6);
			st = stopped();
			CHECK_EQ(counter(buf + size - below, 0, width), st.ticks);
			memset(buf + size - below, 0, width);
			CHECK_EQ(sum(buf, 2 * (size_t)size / 8, 8), 0);
			munmap(buf, 2 * (size_t)size);
		}
	}
}

TEST(carry_goes_across_the_words_of_an_unaligned_counter)
{
	for (unsigned int shift = 0; shift < 8; shift++) {
		unsigned char buf[32] = { 0 };
		uint64_t start = 0x0123ffffffffffffULL;
		struct profil_status st;

		memcpy(buf + 8 + shift, &start, 8);
		CHECK_EQ(start_region(everything(buf + 8 + shift, 8, 8), PROFIL_RATE_TICK), 0);
		run_ticks(4);
		st = stopped();
		CHECK_EQ(counter(buf + 8 + shift, 0, 8), start + st.ticks);
	}
}

TEST(odd_byte_at_the_end_of_a_buffer_is_never_written)
{
	static uint16_t buf[1024];
	struct text text = text_wide();
	struct profil_status st;

	memset(buf, 0, sizeof(buf));
	((unsigned char *)buf)[1000] = 0x5a;
	CHECK_EQ(start_region(one_to_one(buf, 1001, 2, text), PROFIL_RATE_TICK), 0);
	CHECK(work_until(4 * TICKS, some_wide));
	st = stopped();
	CHECK_EQ(sum(buf, 500, 2), st.counted);
	CHECK_EQ(buf[500], 0x5a);
	CHECK_EQ(sum(buf + 501, 1024 - 501, 2), 0);
}

TEST(buffer_smaller_than_a_counter_counts_nothing)
{
	for (EACH_WIDTH(width)) {
		uint64_t buf = 0;
		struct profil_status st;

		CHECK_EQ(start_region(everything(&buf, width - 1, width),
				      PROFIL_RATE_TICK), 0);
		run_ticks(4);
		st = stopped();
		CHECK_EQ(st.outside, st.ticks);
		CHECK_EQ(buf, 0);
	}
}

TEST(region_of_size_0_counts_nothing)
{
	struct profil_status st;

	CHECK_EQ(start_region(everything(NULL, 0, 2), PROFIL_RATE_TICK), 0);
	run_ticks(4);
	st = stopped();
	CHECK_EQ(st.outside, st.ticks);
}

TEST(scale_0_puts_every_pc_from_offset_on_into_counter_0)
{
	uint16_t buf[64] = { 0 };
	struct profil_region region = everything(buf, sizeof(buf), 2);
	struct profil_status st;

	region.offset = text_a().lo;
	CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
	run_ticks(TICKS);
	st = stopped();
	CHECK_GE(st.counted, most_of(TICKS));
	CHECK_EQ(buf[0], st.counted);
	CHECK_EQ(sum(buf, 64, 2), st.counted);
}

/* A buffer for any scale: the region ends after its first 16 bytes of text. */
TEST(largest_scale_spreads_the_counters_of_neighbours_far_apart)
{
	size_t size = 64U << 20;
	unsigned char *buf = mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct profil_region region = one_to_one(buf, size, 2, text_a());
	struct text text = text_a();
	struct profil_status st;
	uint64_t found = 0;

	CHECK(buf != MAP_FAILED);
	region.scale = 0xffffffff;
	CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
	run_ticks(TICKS);
	st = stopped();
	for (uint64_t d = 0; d < text.hi - text.lo; d++)
		found += counter(buf, (((d * 0xffffffffU) >> 16) & ~1ULL) / 2, 2);
	CHECK_GE(st.counted, most_of(TICKS));
	CHECK_EQ(found, st.counted);
}

TEST(each_index_rule_counts_every_hit_in_its_own_counter)
{
	static const uint8_t rules[] = {
		PROFIL_INDEX_BYTE_DOWN, PROFIL_INDEX_BYTE_UP, PROFIL_INDEX_ELEMENT,
	};
	struct text text = text_a();

	for (unsigned int r = 0; r < sizeof(rules); r++) {
		/* 3/4 of a byte of counters per byte of text. */
		const uint64_t scale = 0xc000;
		uint32_t buf[64] = { 0 };
		struct profil_region region = one_to_one(buf, sizeof(buf), 4, text);
		struct profil_status st;
		bool possible[64] = { false };

		region.scale = (uint32_t)scale;
		region.index = rules[r];
		CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
		run_ticks(TICKS);
		st = stopped();
		for (uint64_t d = 0; d < text.hi - text.lo; d++) {
			uint64_t byte = (d * scale) >> 16;
			uint64_t i = byte / 4;

			if (rules[r] == PROFIL_INDEX_BYTE_UP)
				i = (byte + 3) / 4;
			else if (rules[r] == PROFIL_INDEX_ELEMENT)
				i = (d / 4 * scale) >> 16;
			CHECK_LT(i, 64);
			possible[i] = true;
		}
		CHECK_GE(st.counted, most_of(TICKS));
		CHECK_EQ(sum(buf, 64, 4), st.counted);
		for (unsigned int i = 0; i < 64; i++)
			CHECK(possible[i] || buf[i] == 0);
	}
}

TEST(counter_saturates_at_its_limit)
{
	for (EACH_WIDTH(width)) {
		uint64_t buf = 0;
		struct profil_region region = everything(&buf, width, width);
		struct profil_status st;

		region.limit = 5;
		CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
		run_ticks(12);
		st = stopped();
		CHECK_EQ(counter(&buf, 0, width), 5);
		CHECK_EQ(st.counted, st.ticks);
		CHECK_EQ(st.saturated, st.counted - 5);
	}
}

TEST(counter_without_limit_saturates_at_what_its_width_holds)
{
	for (EACH_WIDTH(width)) {
		uint64_t buf[2];
		struct profil_status st;

		memset(buf, 0xff, sizeof(buf));
		((unsigned char *)buf)[0] = 0xfd;
		CHECK_EQ(start_region(everything(buf, width, width), PROFIL_RATE_TICK), 0);
		run_ticks(8);
		st = stopped();
		CHECK_EQ(buf[0], -1);
		CHECK_EQ(buf[1], -1);
		CHECK_EQ(st.saturated, st.counted - 2);
	}
}

TEST(counter_that_wraps_starts_again_at_0_and_leaves_its_neighbour)
{
	for (EACH_WIDTH(width)) {
		uint64_t buf[2] = { 0, 0x77 };
		struct profil_region region = everything(buf, width, width);
		struct profil_status st;

		memset(buf, 0xff, width);
		region.at_limit = PROFIL_LIMIT_WRAP;
		CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
		run_ticks(8);
		st = stopped();
		CHECK_EQ(counter(buf, 0, width), st.counted - 1);
		CHECK_EQ(st.saturated, 0);
		memset(buf, 0, width);
		CHECK_EQ(buf[0], 0);
		CHECK_EQ(buf[1], 0x77);
	}
}

TEST(counter_that_stops_at_its_limit_stops_the_whole_profile)
{
	for (EACH_WIDTH(width)) {
		uint64_t buf[2] = { 0 };
		struct profil_region regions[2] = {
			one_counter(&buf[0], width, width, text_a()),
			one_counter(&buf[1], width, width, text_b()),
		};
		struct profil_status st;
		uint64_t b;

		regions[0].limit = 6;
		regions[0].at_limit = PROFIL_LIMIT_STOP;
		CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
		CHECK(work_while_on());
		CHECK_EQ(page()->state, PROFIL_STATE_LIMIT);
		b = buf[1];
		for (int i = 0; i < 2000; i++)
			some_b();
		CHECK_EQ(get_status(&st), 0);
		CHECK_EQ(st.state, PROFIL_STATE_LIMIT);
		CHECK_EQ(st.mode, PROFIL_MODE_HISTOGRAM);
		CHECK_ACCOUNTS(&st);
		CHECK_EQ(counter(&buf[0], 0, width), 6);
		CHECK_EQ(buf[1], b);
		CHECK_EQ(stop(&st), 0);
		CHECK_ACCOUNTS(&st);
	}
}

TEST(largest_offset_wins_where_regions_overlap)
{
	uint32_t wide[64] = { 0 }, narrow[64] = { 0 };
	struct text text = text_a();
	struct profil_region regions[2] = {
		one_to_one(wide, sizeof(wide), 4, text),
		one_to_one(narrow, sizeof(narrow), 4, text),
	};
	struct profil_status st;

	regions[0].offset = text.lo - 64;
	for (int swapped = 0; swapped < 2; swapped++) {
		struct profil_region first = regions[0];

		CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
		run_ticks(TICKS);
		st = stopped();
		CHECK_GE(st.counted, most_of(TICKS));
		CHECK_GE(sum(narrow, 64, 4), most_of(TICKS));
		CHECK_EQ(sum(narrow, 64, 4) + sum(wide, 64, 4), st.counted);
		memset(narrow, 0, sizeof(narrow));
		memset(wide, 0, sizeof(wide));
		regions[0] = regions[1];
		regions[1] = first;
	}
}

TEST(first_region_wins_between_equal_offsets)
{
	uint32_t first[64] = { 0 }, second[64] = { 0 };
	struct profil_region regions[2] = {
		one_to_one(first, sizeof(first), 4, text_a()),
		one_to_one(second, sizeof(second), 4, text_a()),
	};
	struct profil_status st;

	CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
	run_ticks(TICKS);
	st = stopped();
	CHECK_GE(st.counted, most_of(TICKS));
	CHECK_EQ(sum(first, 64, 4), st.counted);
	CHECK_EQ(sum(second, 64, 4), 0);
}

TEST(catch_all_takes_what_no_other_region_takes)
{
	uint32_t in_a[64] = { 0 }, rest[2] = { 0, 0x77 };
	struct profil_region regions[2] = {
		everything(rest, sizeof(rest), 4),
		one_to_one(in_a, sizeof(in_a), 4, text_a()),
	};
	struct profil_status st;

	regions[0].flags = PROFIL_REGION_CATCH_ALL;
	CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
	run_ticks(TICKS);
	CHECK(work_until(TICKS, some_b));
	st = stopped();
	CHECK_EQ(st.outside, 0);
	CHECK_GE(sum(in_a, 64, 4), most_of(TICKS));
	CHECK_GE(rest[0], most_of(TICKS));
	CHECK_EQ(rest[1], 0x77);
	CHECK_EQ(sum(in_a, 64, 4) + rest[0], st.counted);
}

TEST(as_many_regions_as_allowed_each_count_their_own_text)
{
	struct profil_features features;
	struct profil_region *regions;
	struct text text = text_wide();
	struct profil_status st;
	uint32_t *buf;
	size_t n;

	CHECK_EQ(get_features(&features), 0);
	n = features.max_regions;
	CHECK_GE(n, 1);
	regions = calloc(n, sizeof(*regions));
	buf = calloc(n, sizeof(*buf));
	CHECK(regions && buf);
	/* One byte of text each, the last ones beyond the loop. */
	for (size_t i = 0; i < n; i++)
		regions[i] = one_counter(&buf[i], sizeof(buf[i]), 4,
					 (struct text) { text.lo + i, text.lo + i + 1 });
	CHECK_EQ(start_regions(regions, (unsigned int)n, PROFIL_RATE_TICK), 0);
	/* The request was copied. */
	memset(regions, 0xff, n * sizeof(*regions));
	CHECK(work_until(4 * TICKS, some_wide));
	st = stopped();
	CHECK_GT(st.counted, 0);
	CHECK_EQ(sum(buf, n, 4), st.counted);
	for (size_t i = text.hi - text.lo; i < n; i++)
		CHECK_EQ(buf[i], 0);
}

TEST(overlapping_regions_of_every_width_count_each_tick_once)
{
	static unsigned char buf[64][72];
	struct profil_region regions[64];
	struct text text = text_wide();
	struct profil_status st;
	uint64_t total = 0;

	for (unsigned int i = 0; i < 64; i++) {
		struct text part = { text.lo + 16 * i, text.hi - 16 * i };

		regions[i] = one_counter(buf[i] + i % 8, 8, widths[i % 3], part);
	}
	CHECK_EQ(start_regions(regions, 64, PROFIL_RATE_TICK), 0);
	CHECK(work_until(4 * TICKS, some_wide));
	st = stopped();
	for (unsigned int i = 0; i < 64; i++) {
		uint64_t n = counter(buf[i] + i % 8, 0, widths[i % 3]);

		total += n;
		memset(buf[i] + i % 8, 0, widths[i % 3]);
		CHECK_EQ(sum(buf[i], 9, 8), 0);
	}
	CHECK_GT(st.counted, 0);
	CHECK_EQ(total, st.counted);
}

TEST(new_profile_replaces_the_old_one_and_reports_it)
{
	uint16_t old[1] = { 0 }, new[1] = { 0 };
	struct profil_region region = everything(old, sizeof(old), 2);
	struct profil_status last = { .size = sizeof(last) };
	struct profil_histogram request = {
		.regions = (uintptr_t)&region,
		.nregions = 1,
		.region_size = sizeof(region),
		.rate = PROFIL_RATE_TICK,
		.tag = 0x12345678,
		.last = (uintptr_t)&last,
	};
	struct profil_status st;
	uint64_t first_page;

	CHECK_EQ(start_histogram(&request), 0);
	CHECK_EQ(last.state, PROFIL_STATE_OFF);
	CHECK_EQ(last.mode, PROFIL_MODE_NONE);
	first_page = request.page;
	run_ticks(TICKS);
	region.buf = (uintptr_t)new;
	request.tag = 7;
	CHECK_EQ(start_histogram(&request), 0);
	CHECK_EQ(request.page, first_page);
	CHECK_EQ(last.tag, 0x12345678);
	CHECK_EQ(last.mode, PROFIL_MODE_HISTOGRAM);
	CHECK_EQ(last.counted, old[0]);
	CHECK_GE(last.counted, TICKS);
	CHECK_NOTHING_LOST(&last);
	run_ticks(TICKS);
	st = stopped();
	CHECK_EQ(st.tag, 7);
	CHECK_EQ(st.counted, new[0]);
	CHECK_EQ(old[0], last.counted);
}

TEST(page_shows_what_the_status_call_reports)
{
	uint16_t buf = 0;
	struct profil_status st;

	CHECK_EQ(start_region(everything(&buf, sizeof(buf), 2), PROFIL_RATE_TICK), 0);
	CHECK_EQ(page()->size, sizeof(st));
	CHECK_EQ(page()->mode, PROFIL_MODE_HISTOGRAM);
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	CHECK_EQ(page()->rate, PROFIL_RATE_TICK);
	run_ticks(TICKS);
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_ON);
	CHECK_GE(st.ticks, TICKS);
	CHECK_GE(page()->ticks, st.ticks);
	CHECK_EQ(stop(&st), 0);
	CHECK_EQ(st.size, sizeof(st));
	CHECK_EQ(st.counted, buf);
	CHECK_EQ(page()->state, PROFIL_STATE_OFF);
	CHECK_EQ(page()->ticks, st.ticks);
	CHECK_EQ(page()->counted, st.counted);
	CHECK_EQ(page()->outside, st.outside);
	CHECK_EQ(page()->period_ns, st.period_ns);
}

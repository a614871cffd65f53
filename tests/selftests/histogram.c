// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Histograms: the kernel writes the right memory, all of it and nothing else. The unit
 * tests check the arithmetic value by value. Conformance tests check the results that
 * callers see.
 */
#include "setup.h"

#define TICKS	20

#define EACH_WIDTH(w)	unsigned int w = 2; w <= 8; w *= 2

TEST(pcs_outside_every_region_are_seen_but_not_counted)
{
	uint16_t buf[64] = { 0 };
	struct profil_status st;

	CHECK_EQ(start_region(one_to_one(buf, sizeof(buf), 2, text_b()), PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(TICKS));
	st = stopped();
	CHECK_GE(st.ticks, TICKS);
	CHECK_EQ(st.outside, st.ticks);
	CHECK_EQ(sum(buf, 64, 2), 0);
}

/* Every tick counts, and nothing else is written: the bytes of the count, and zeros. */
static void count_at(char *at, unsigned int width, const void *buf, size_t size)
{
	struct profil_status st;

	CHECK_EQ(start_region(everything(at, width, width), PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(6));
	st = stopped();
	CHECK_EQ(st.ticks, counter(at, 0, width));
	CHECK_EQ(st.outside, 0);
	memset(at, 0, width);
	CHECK_EQ(sum(buf, size / 8, 8), 0);
}

TEST(counter_that_straddles_two_pages_counts)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	for (EACH_WIDTH(width)) {
		for (unsigned int below = 0; below < width; below++) {
			/* Fresh pages: neither of the two is there. */
			char *buf = private_memory(2 * size);

			count_at(buf + size - below, width, buf, 2 * size);
			munmap(buf, 2 * size);
		}
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
		CHECK(work_for_ticks(12));
		st = stopped();
		CHECK_EQ(counter(&buf, 0, width), 5);
		CHECK_EQ(st.counted, st.ticks);
		CHECK_EQ(st.saturated, st.counted - 5);
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
		uint64_t b;

		regions[0].limit = 6;
		regions[0].at_limit = PROFIL_LIMIT_STOP;
		CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
		CHECK(work_while_on());
		b = buf[1];
		hot_b(2000 * 10000);
		CHECK_EQ(status().state, PROFIL_STATE_LIMIT);
		CHECK_EQ(accounted().mode, PROFIL_MODE_HISTOGRAM);
		CHECK_EQ(counter(&buf[0], 0, width), 6);
		CHECK_EQ(buf[1], b);
	}
}

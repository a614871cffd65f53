// SPDX-License-Identifier: LGPL-2.1-or-later
/* What one more tick does to a counter, and where its counter is. */
#include <stdlib.h>

#include <linux/limits.h>

#include "region_reference.h"
#include "unit.h"

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

static void test_counters_at_their_limits(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
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

/* From a filled buffer, tick by tick through each value of 2 bytes. */
static void test_every_value_of_a_short_counter(void **state)
{
	static const u64 limits[] = { 0, 1, 255, 256, 32767, 32768, 65535 };
	size_t i;
	u64 old;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		struct profil_region r = {
			.size = 2, .width = 2, .limit = limits[i],
		};
		struct profil_map *map = build_map(&r, 1);

		for (old = 0; old < 65536; old++) {
			u64 want = 0, got = 0;

			assert_int_equal(profil_counter_next(map->region, old,
							     &got),
					 reference_next(&r, old, &want));
			assert_int_equal(got, want);
		}
		free(map);
	}
}

static u64 counter(const struct profil_region *r, u64 pc)
{
	struct profil_map *map = build_map(r, 1);
	u64 at;

	assert_int_equal(profil_map_find(map, pc), 0);
	at = profil_region_counter(profil_map_region(map, 0), pc);
	free(map);

	return at;
}

static void test_buffers_of_any_alignment(void **state)
{
	struct profil_region r = {
		.size = 64, .offset = 0x1001, .scale = 0x10000, .width = 8,
	};

	(void)state;
	for (r.buf = 0x5000; r.buf < 0x5010; r.buf++) {
		assert_int_equal(counter(&r, 0x1001), r.buf);
		assert_int_equal(counter(&r, 0x1008), r.buf);
		assert_int_equal(counter(&r, 0x1009), r.buf + 8);
		assert_int_equal(counter(&r, 0x1040), r.buf + 56);
	}
}

/* The index is that of the offset, not of the first pc counted. */
static void test_pc_start_does_not_move_the_counters(void **state)
{
	struct profil_region r = {
		.buf = 0x5000, .size = 64, .offset = 0x1000, .pc_start = 0x1010,
		.scale = 0x10000, .width = 2,
	};

	(void)state;
	assert_int_equal(counter(&r, 0x1010), 0x5010);
	assert_int_equal(counter(&r, 0x103f), 0x503e);
}

static void test_scale_0_puts_all_into_counter_0(void **state)
{
	struct profil_region r = { .buf = 0x5001, .size = 100, .offset = 16 };
	u32 rule;

	(void)state;
	for (rule = 0; rule <= PROFIL_INDEX_ELEMENT; rule++) {
		r.index = rule;
		for (r.width = 2; r.width <= 8; r.width *= 2) {
			assert_int_equal(counter(&r, 16), 0x5001);
			assert_int_equal(counter(&r, 17), 0x5001);
			assert_int_equal(counter(&r, U64_MAX - 1), 0x5001);
		}
	}
}

static void test_catch_all_uses_counter_0(void **state)
{
	struct profil_region r = {
		.buf = 0x5003, .size = 100, .flags = PROFIL_REGION_CATCH_ALL,
	};
	u32 rule;

	(void)state;
	for (rule = 0; rule <= PROFIL_INDEX_ELEMENT; rule++) {
		r.index = rule;
		for (r.width = 2; r.width <= 8; r.width *= 2) {
			assert_int_equal(counter(&r, 0), 0x5003);
			assert_int_equal(counter(&r, 0x401000), 0x5003);
			assert_int_equal(counter(&r, U64_MAX - 1), 0x5003);
		}
	}
}

/* The last counter of a buffer that covers all there is. */
static void test_far_counters(void **state)
{
	struct profil_region r = {
		.buf = 0x5000, .size = 1ULL << 63, .scale = 0x8000, .width = 8,
	};

	(void)state;
	assert_int_equal(counter(&r, U64_MAX - 1),
			 0x5000 + (1ULL << 63) - 8);
	r.index = PROFIL_INDEX_ELEMENT;
	assert_int_equal(counter(&r, U64_MAX - 1),
			 0x5000 + (1ULL << 63) - 8);
	r.scale = 0x7fff;
	r.index = PROFIL_INDEX_BYTE_UP;
	assert_int_equal(counter(&r, U64_MAX - 1), 0x7fff000000005000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_at_their_limits),
		cmocka_unit_test(test_every_value_of_a_short_counter),
		cmocka_unit_test(test_buffers_of_any_alignment),
		cmocka_unit_test(test_pc_start_does_not_move_the_counters),
		cmocka_unit_test(test_scale_0_puts_all_into_counter_0),
		cmocka_unit_test(test_catch_all_uses_counter_0),
		cmocka_unit_test(test_far_counters),
	};

	return cmocka_run_group_tests_name("region_counter", tests, NULL, NULL);
}

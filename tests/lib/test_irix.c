// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/irix.c: sprofil() and profil() of IRIX, rule by rule. */
#include "kernel.h"

#include <libprofil.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>

#define TEXT		0x401000UL
#define KERNEL_MEMORY	((void *)0xffff888000000000UL)

static unsigned short counters[64];
static unsigned int wide[64];

static struct prof entry(unsigned long offset, unsigned int scale)
{
	return (struct prof){ counters, sizeof(counters), offset, scale };
}

static void sprofil_starts_each_region(void **state)
{
	struct prof p[3] = {
		entry(TEXT, 0x8000),
		{ wide, 16, TEXT + 64, 0x4000 },
		entry(TEXT, 0x10000),
	};

	(void)state;
	assert_success(sprofil(p, 3, NULL, PROF_USHORT));
	assert_int_equal(kernel.histogram.nregions, 3);
	assert_int_equal(kernel.regions[0].offset, TEXT);
	assert_int_equal(kernel.regions[0].scale, 0x8000);
	assert_int_equal(kernel.regions[1].buf, (uintptr_t)wide);
	assert_int_equal(kernel.regions[1].size, 16);
	assert_int_equal(kernel.regions[1].offset, TEXT + 64);
	assert_int_equal(kernel.regions[2].scale, 0x10000);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_IRIX);
}

static void sprofil_regions_follow_the_row(void **state)
{
	struct prof p = entry(TEXT, 0x8000);
	const struct profil_region *r;

	(void)state;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	r = kernel_only_region();
	assert_int_equal(r->index, PROFIL_INDEX_BYTE_DOWN);
	assert_int_equal(r->at_limit, PROFIL_LIMIT_SATURATE);
	assert_int_equal(r->limit, 0);
	assert_int_equal(r->on_fault, PROFIL_FAULT_STOP_REGION);
}

static void sprofil_width_is_in_the_flags(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	assert_int_equal(kernel_only_region()->width, 2);
	assert_success(sprofil(&p, 1, NULL, PROF_UINT));
	assert_int_equal(kernel_only_region()->width, 4);
}

static void sprofil_without_one_width_is_einval(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_IRIX);
	assert_errno(sprofil(&p, 1, NULL, 0), EINVAL);
	assert_errno(sprofil(&p, 1, NULL, PROF_FAST), EINVAL);
	assert_errno(sprofil(&p, 1, NULL, PROF_USHORT | PROF_UINT), EINVAL);
	kernel_assert_untouched();
}

static void sprofil_counts_out_of_bounds_are_e2big(void **state)
{
	struct prof p[PROFIL_MAX + 1];

	(void)state;
	for (int i = 0; i <= PROFIL_MAX; i++)
		p[i] = entry(TEXT + 64UL * (unsigned long)i, 0x8000);
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_IRIX);
	assert_errno(sprofil(p, 0, NULL, PROF_USHORT), E2BIG);
	assert_errno(sprofil(p, -1, NULL, PROF_USHORT), E2BIG);
	assert_errno(sprofil(p, PROFIL_MAX + 1, NULL, PROF_USHORT), E2BIG);
	kernel_assert_untouched();
	assert_success(sprofil(p, PROFIL_MAX, NULL, PROF_USHORT));
	assert_int_equal(kernel.histogram.nregions, PROFIL_MAX);
}

static void sprofil_limit_follows_the_module_down(void **state)
{
	struct prof p[3] = { entry(TEXT, 3), entry(TEXT, 3), entry(TEXT, 3) };

	(void)state;
	kernel.features.max_regions = 2;
	assert_errno(sprofil(p, 3, NULL, PROF_USHORT), E2BIG);
	assert_success(sprofil(p, 2, NULL, PROF_USHORT));
}

static void sprofil_with_bad_pointers_is_efault(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_IRIX);
	assert_errno(sprofil(NULL, 1, NULL, PROF_USHORT), EFAULT);
	assert_errno(sprofil(KERNEL_MEMORY, 1, NULL, PROF_USHORT), EFAULT);
	assert_errno(sprofil(&p, 1, KERNEL_MEMORY, PROF_USHORT), EFAULT);
	kernel_assert_untouched();
}

static void sprofil_overflow_bin_comes_last(void **state)
{
	struct prof p[3] = { entry(TEXT, 0x8000), entry(TEXT + 64, 0x8000),
			     entry(0, 2) };

	(void)state;
	assert_success(sprofil(p, 3, NULL, PROF_USHORT));
	assert_int_equal(kernel.regions[2].flags, PROFIL_REGION_CATCH_ALL);
	assert_int_equal(kernel.regions[1].flags, 0);
}

static void sprofil_overflow_bin_elsewhere_is_einval(void **state)
{
	struct prof p[3] = { entry(0, 2), entry(TEXT, 0x8000), entry(0, 2) };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_IRIX);
	assert_errno(sprofil(p, 2, NULL, PROF_USHORT), EINVAL);
	assert_errno(sprofil(p, 3, NULL, PROF_USHORT), EINVAL);
	kernel_assert_untouched();
}

static void sprofil_scale_2_and_offset_0_apart_are_ordinary(void **state)
{
	struct prof p[2] = { entry(TEXT, 2), entry(0, 3) };

	(void)state;
	assert_success(sprofil(p, 2, NULL, PROF_USHORT));
	assert_int_equal(kernel.regions[0].scale, 2);
	assert_int_equal(kernel.regions[0].flags, 0);
	assert_int_equal(kernel.regions[1].flags, 0);
}

static void sprofil_takes_any_scale(void **state)
{
	static const unsigned int scales[] = { 3, 0xffff, 0x20000, 0xffffffff };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct prof p = entry(TEXT, scales[i]);

		assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
		assert_int_equal(kernel_only_region()->scale, scales[i]);
	}
}

static void sprofil_entries_with_scale_0_or_1_are_off(void **state)
{
	struct prof p[3] = { entry(TEXT, 0), entry(TEXT + 64, 0x8000),
			     entry(TEXT, 1) };

	(void)state;
	assert_success(sprofil(p, 3, NULL, PROF_USHORT));
	assert_int_equal(kernel_only_region()->offset, TEXT + 64);
}

static void sprofil_with_one_entry_that_is_off_turns_it_off(void **state)
{
	struct prof p = entry(TEXT, 0);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_IRIX);
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	assert_int_equal(kernel.stops, 1);
}

static void sprofil_size_0_is_ineffective_and_no_error(void **state)
{
	struct prof p = { counters, 0, TEXT, 0x8000 };

	(void)state;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	assert_int_equal(kernel_only_region()->size, 0);
}

static void sprofil_replaces_what_was_on(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	p.pr_off = TEXT + 4096;
	assert_success(sprofil(&p, 1, NULL, PROF_UINT));
	assert_int_equal(kernel_only_region()->offset, TEXT + 4096);
}

static void sprofil_tells_the_clock_tick(void **state)
{
	struct prof p = entry(TEXT, 0x8000);
	struct timeval tv = { 5, 5 };

	(void)state;
	assert_success(sprofil(&p, 1, &tv, PROF_USHORT));
	assert_int_equal(tv.tv_sec, 0);
	assert_int_equal(tv.tv_usec, 10000);
	assert_int_equal(kernel.histogram.rate, PROFIL_RATE_CLOCK);
}

static void sprofil_fast_samples_each_millisecond(void **state)
{
	struct prof p = entry(TEXT, 0x8000);
	struct timeval tv = { 5, 5 };

	(void)state;
	assert_success(sprofil(&p, 1, &tv, PROF_UINT | PROF_FAST));
	assert_int_equal(kernel.histogram.rate, PROFIL_RATE_FAST);
	assert_int_equal(tv.tv_sec, 0);
	assert_int_equal(tv.tv_usec, 1000);
}

static void sprofil_fast_is_eacces_where_restricted(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_IRIX);
	kernel.features.rates = 1U << PROFIL_RATE_CLOCK;
	assert_errno(sprofil(&p, 1, NULL, PROF_UINT | PROF_FAST), EACCES);
	assert_errno(sprofil(&p, 0, NULL, PROF_UINT | PROF_FAST), EACCES);
	assert_errno(sprofil(NULL, 0, NULL, PROF_UINT), E2BIG);
	kernel_assert_untouched();
	assert_success(sprofil(&p, 1, NULL, PROF_UINT));
}

static void sprofil_impossible_buffers_are_off_and_the_others_on(void **state)
{
	struct prof p[3] = { entry(TEXT, 0x8000), entry(TEXT + 64, 0x8000),
			     entry(TEXT + 128, 0x8000) };

	(void)state;
	p[0].pr_base = KERNEL_MEMORY;
	p[2].pr_base = (void *)(UINTPTR_MAX - 5);
	assert_success(sprofil(p, 3, NULL, PROF_USHORT));
	assert_int_equal(kernel_only_region()->offset, TEXT + 64);
}

/* And what ran runs on. */
static void a_start_that_is_refused_says_why(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 0);
	assert_refusals(assert_errno, sprofil(&p, 1, NULL, PROF_USHORT));
}

static void sprofil_without_the_module_is_enodev(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	kernel.open_error = ENOENT;
	assert_errno(sprofil(&p, 1, NULL, PROF_USHORT), ENODEV);
}

static void profil_is_an_sprofil_of_one_short_entry(void **state)
{
	struct profil_region r;
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	r = *kernel_only_region();
	assert_success(profil(counters, sizeof(counters), TEXT, 0x8000));
	assert_memory_equal(kernel_only_region(), &r, sizeof(r));
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_IRIX);
}

static void profil_knows_the_overflow_bin(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), 0, 2));
	assert_int_equal(kernel_only_region()->flags, PROFIL_REGION_CATCH_ALL);
}

static void profil_is_turned_off_by_scale_0_or_1(void **state)
{
	(void)state;
	assert_success(profil(NULL, 0, 0, 0));
	assert_success(profil(counters, sizeof(counters), TEXT, 1));
	assert_int_equal(kernel.stops, 2);
}

static void profil_takes_offsets_as_wide_as_addresses(void **state)
{
	(void)state;
	assert_success(profil(counters, 64, 0x555555554000UL, 0x8000));
	assert_int_equal(kernel_only_region()->offset, 0x555555554000UL);
}

#define test(name) cmocka_unit_test_setup_teardown(name, kernel_boot, kernel_halt)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		test(sprofil_starts_each_region),
		test(sprofil_regions_follow_the_row),
		test(sprofil_width_is_in_the_flags),
		test(sprofil_without_one_width_is_einval),
		test(sprofil_counts_out_of_bounds_are_e2big),
		test(sprofil_limit_follows_the_module_down),
		test(sprofil_with_bad_pointers_is_efault),
		test(sprofil_overflow_bin_comes_last),
		test(sprofil_overflow_bin_elsewhere_is_einval),
		test(sprofil_scale_2_and_offset_0_apart_are_ordinary),
		test(sprofil_takes_any_scale),
		test(sprofil_entries_with_scale_0_or_1_are_off),
		test(sprofil_with_one_entry_that_is_off_turns_it_off),
		test(sprofil_size_0_is_ineffective_and_no_error),
		test(sprofil_replaces_what_was_on),
		test(sprofil_tells_the_clock_tick),
		test(sprofil_fast_samples_each_millisecond),
		test(sprofil_fast_is_eacces_where_restricted),
		test(sprofil_impossible_buffers_are_off_and_the_others_on),
		test(a_start_that_is_refused_says_why),
		test(sprofil_without_the_module_is_enodev),
		test(profil_is_an_sprofil_of_one_short_entry),
		test(profil_knows_the_overflow_bin),
		test(profil_is_turned_off_by_scale_0_or_1),
		test(profil_takes_offsets_as_wide_as_addresses),
	};

	return cmocka_run_group_tests_name("irix", tests, NULL, NULL);
}

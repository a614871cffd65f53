// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/glibc.c: the default dialect, rule by rule. */
#include "kernel.h"

/* libc's declaration says that the buffer is never null. */
#define profil libc_profil
#include <unistd.h>
#undef profil
int profil(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale);

#include <libprofil.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/profil.h>

#define TEXT		0x401000UL
#define KERNEL_MEMORY	((void *)0xffff888000000000UL)

static unsigned short counters[64];
static unsigned int wide[64];

/* profil() */

static void profil_starts_one_region_of_shorts(void **state)
{
	const struct profil_region *r;

	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 0x8000));
	r = kernel_only_region();
	assert_int_equal(r->buf, (uintptr_t)counters);
	assert_int_equal(r->size, sizeof(counters));
	assert_int_equal(r->offset, TEXT);
	assert_int_equal(r->scale, 0x8000);
	assert_int_equal(r->width, 2);
	assert_int_equal(r->pc_start, 0);
	assert_int_equal(r->pc_end, 0);
	assert_int_equal(r->flags, 0);
}

static void profil_indexes_by_element(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 0xffff));
	assert_int_equal(kernel_only_region()->index, PROFIL_INDEX_ELEMENT);
}

static void profil_counters_wrap(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 0x8000));
	assert_int_equal(kernel_only_region()->at_limit, PROFIL_LIMIT_WRAP);
	assert_int_equal(kernel_only_region()->limit, 0);
}

static void profil_stops_all_at_a_fault(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 0x8000));
	assert_int_equal(kernel_only_region()->on_fault,
			 PROFIL_FAULT_STOP_ALL);
}

static void profil_samples_at_the_clock_tick(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 0x8000));
	assert_int_equal(kernel.histogram.rate, PROFIL_RATE_CLOCK);
	assert_int_equal(kernel.histogram.flags, 0);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_GLIBC_PROFIL);
}

static void profil_stops_with_a_null_buffer(void **state)
{
	static const unsigned int scales[] = { 0, 1, 2, 0x8000, 0x20000 };

	(void)state;
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		kernel_run(PROFIL_MODE_HISTOGRAM, 1);
		assert_success(profil(NULL, 64, TEXT, scales[i]));
		assert_int_equal(kernel.stops, i + 1);
		assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
	}
	assert_int_equal(kernel.histograms, 0);
}

static void profil_stops_with_scale_0_or_1_and_a_buffer(void **state)
{
	(void)state;
	for (unsigned int scale = 0; scale < 2; scale++) {
		kernel_run(PROFIL_MODE_HISTOGRAM, 1);
		assert_success(profil(counters, sizeof(counters), TEXT, scale));
		assert_int_equal(kernel.stops, scale + 1);
		assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
	}
	assert_int_equal(kernel.histograms, 0);
}

static void profil_stops_other_dialects_and_sample_arrays(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_SAMPLES, 99);
	assert_success(profil(NULL, 0, 0, 0));
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
}

static void profil_with_scale_2_is_a_clock_in_counter_0(void **state)
{
	const struct profil_region *r;

	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 2));
	r = kernel_only_region();
	assert_int_equal(r->scale, 0);
	assert_int_equal(r->offset, TEXT);
	assert_int_equal(r->flags, 0);
	assert_int_equal(r->size, sizeof(counters));
}

static void profil_with_scale_2_and_offset_0_is_no_catch_all(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), 0, 2));
	assert_int_equal(kernel_only_region()->flags, 0);
	assert_int_equal(kernel_only_region()->scale, 0);
}

static void profil_scales_above_65536_are_used_as_they_are(void **state)
{
	static const unsigned int scales[] = { 3, 0xffff, 0x10000, 0x10001,
					       0x20000, UINT_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		assert_success(profil(counters, sizeof(counters), TEXT,
				      scales[i]));
		assert_int_equal(kernel_only_region()->scale, scales[i]);
	}
}

static void profil_offset_0_is_an_address_like_any_other(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), 0, 0x8000));
	assert_int_equal(kernel_only_region()->offset, 0);
	assert_int_equal(kernel_only_region()->scale, 0x8000);
}

static void profil_offset_may_be_any_address(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), SIZE_MAX, 0x8000));
	assert_int_equal(kernel_only_region()->offset, SIZE_MAX);
}

static void profil_with_bufsiz_0_starts_and_counts_nothing(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	assert_success(profil(counters, 0, TEXT, 0x8000));
	assert_int_equal(kernel_only_region()->size, 0);
	assert_int_equal(kernel.stops, 0);
}

static void profil_takes_odd_sizes_and_unaligned_buffers(void **state)
{
	unsigned short *odd = (unsigned short *)((char *)counters + 1);

	(void)state;
	assert_success(profil(odd, 13, TEXT, 0x8000));
	assert_int_equal(kernel_only_region()->buf, (uintptr_t)odd);
	assert_int_equal(kernel_only_region()->size, 13);
}

static void profil_replaces_the_profile_that_runs(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 0x8000));
	assert_success(profil(counters, 10, TEXT + 64, 0x4000));
	assert_int_equal(kernel_only_region()->size, 10);
	assert_int_equal(kernel_only_region()->offset, TEXT + 64);
	assert_int_equal(kernel.histograms, 2);
}

static void profil_with_a_buffer_in_the_kernel_is_efault(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	assert_errno(profil(KERNEL_MEMORY, 64, TEXT, 0x8000), EFAULT);
	kernel_assert_untouched();
}

static void profil_with_a_size_that_wraps_is_einval(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	assert_errno(profil(counters, SIZE_MAX, TEXT, 0x8000), EINVAL);
	kernel_assert_untouched();
}

static void profil_without_the_module_is_enodev(void **state)
{
	(void)state;
	kernel.open_error = ENOENT;
	assert_errno(profil(counters, sizeof(counters), TEXT, 0x8000), ENODEV);
	assert_errno(profil(NULL, 0, 0, 0), ENODEV);
}

static void profil_without_descriptors_is_emfile(void **state)
{
	(void)state;
	kernel.open_error = EMFILE;
	assert_errno(profil(counters, sizeof(counters), TEXT, 0x8000), EMFILE);
}

/* sprofil() */

static void sprofil_counts_in_shorts_by_default(void **state)
{
	struct prof p = { counters, sizeof(counters), TEXT, 0x8000 };
	const struct profil_region *r;

	(void)state;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	r = kernel_only_region();
	assert_int_equal(r->buf, (uintptr_t)counters);
	assert_int_equal(r->size, sizeof(counters));
	assert_int_equal(r->offset, TEXT);
	assert_int_equal(r->scale, 0x8000);
	assert_int_equal(r->width, 2);
	assert_int_equal(r->index, PROFIL_INDEX_ELEMENT);
	assert_int_equal(r->on_fault, PROFIL_FAULT_STOP_ALL);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_GLIBC_SPROFIL);
}

static void sprofil_counts_in_ints_on_request(void **state)
{
	struct prof p = { wide, sizeof(wide), TEXT, 0x10000 };

	(void)state;
	assert_success(sprofil(&p, 1, NULL, PROF_UINT));
	assert_int_equal(kernel_only_region()->width, 4);
}

static void sprofil_counters_saturate(void **state)
{
	struct prof p = { counters, sizeof(counters), TEXT, 0x8000 };

	(void)state;
	assert_success(sprofil(&p, 1, NULL, 0));
	assert_int_equal(kernel_only_region()->at_limit,
			 PROFIL_LIMIT_SATURATE);
	assert_int_equal(kernel_only_region()->limit, 0);
}

static void sprofil_ignores_fast_and_unknown_flags(void **state)
{
	struct prof p = { counters, sizeof(counters), TEXT, 0x8000 };

	(void)state;
	kernel.features.rates = 1U << PROFIL_RATE_CLOCK;
	assert_success(sprofil(&p, 1, NULL, PROF_FAST | 0xfffffff8));
	assert_int_equal(kernel.histogram.rate, PROFIL_RATE_CLOCK);
	assert_int_equal(kernel_only_region()->width, 2);
}

static void sprofil_keeps_the_order_of_its_regions(void **state)
{
	struct prof p[100];

	(void)state;
	for (int i = 0; i < 100; i++)
		p[i] = (struct prof){ counters, 2, TEXT + 64 * (i % 7), 0x8000 };
	assert_success(sprofil(p, 100, NULL, 0));
	assert_int_equal(kernel.histogram.nregions, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(kernel.regions[i].offset, TEXT + 64 * (i % 7));
}

static void sprofil_overflow_bin_takes_the_rest(void **state)
{
	struct prof p = { counters, 2, 0, 2 };
	const struct profil_region *r;

	(void)state;
	assert_success(sprofil(&p, 1, NULL, 0));
	r = kernel_only_region();
	assert_int_equal(r->flags, PROFIL_REGION_CATCH_ALL);
	assert_int_equal(r->scale, 0);
	assert_int_equal(r->buf, (uintptr_t)counters);
}

static void sprofil_overflow_bin_may_be_anywhere(void **state)
{
	struct prof p[3] = {
		{ counters, 32, TEXT, 0x8000 },
		{ counters, 32, TEXT + 4096, 0x8000 },
		{ counters, 32, TEXT + 8192, 0x8000 },
	};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct prof saved = p[i];

		p[i] = (struct prof){ counters + 32, 2, 0, 2 };
		assert_success(sprofil(p, 3, NULL, 0));
		assert_int_equal(kernel.histogram.nregions, 3);
		assert_int_equal(kernel.regions[i].flags,
				 PROFIL_REGION_CATCH_ALL);
		p[i] = saved;
	}
}

static void sprofil_second_overflow_bin_gets_nothing(void **state)
{
	struct prof p[2] = { { counters, 2, 0, 2 }, { counters + 1, 2, 0, 2 } };

	(void)state;
	assert_success(sprofil(p, 2, NULL, 0));
	assert_int_equal(kernel_only_region()->buf, (uintptr_t)counters);
}

static void sprofil_scale_2_elsewhere_is_ordinary(void **state)
{
	struct prof p = { counters, sizeof(counters), TEXT, 2 };

	(void)state;
	assert_success(sprofil(&p, 1, NULL, 0));
	assert_int_equal(kernel_only_region()->scale, 2);
	assert_int_equal(kernel_only_region()->flags, 0);
}

static void sprofil_ignores_entries_with_scale_0_or_1(void **state)
{
	struct prof p[3] = {
		{ counters, 32, TEXT, 0 },
		{ counters, 32, TEXT + 4096, 0x8000 },
		{ counters, 32, TEXT + 8192, 1 },
	};

	(void)state;
	assert_success(sprofil(p, 3, NULL, 0));
	assert_int_equal(kernel_only_region()->offset, TEXT + 4096);
}

static void sprofil_with_ignored_entries_only_stops(void **state)
{
	struct prof p[2] = { { counters, 32, TEXT, 0 }, { counters, 32, 0, 1 } };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	assert_success(sprofil(p, 2, NULL, 0));
	assert_int_equal(kernel.stops, 1);
	assert_int_equal(kernel.histograms, 0);
}

static void sprofil_of_nothing_stops(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	assert_success(sprofil(NULL, 0, NULL, 0));
	assert_int_equal(kernel.stops, 1);
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
}

static void sprofil_second_call_replaces_the_first(void **state)
{
	struct prof p = { counters, sizeof(counters), TEXT, 0x8000 };

	(void)state;
	assert_success(sprofil(&p, 1, NULL, 0));
	p.pr_off = TEXT + 4096;
	assert_success(sprofil(&p, 1, NULL, 0));
	assert_int_equal(kernel_only_region()->offset, TEXT + 4096);
	assert_success(sprofil(&p, 1, NULL, 0));
	assert_int_equal(kernel.histograms, 3);
}

static void sprofil_tells_the_true_period(void **state)
{
	struct prof p = { counters, sizeof(counters), TEXT, 0x8000 };
	struct timeval tv = { 7, 7 };

	(void)state;
	assert_success(sprofil(&p, 1, &tv, 0));
	assert_int_equal(tv.tv_sec, 0);
	assert_int_equal(tv.tv_usec, 10000);

	kernel.features.period_ns[PROFIL_RATE_CLOCK] = 1003333333;
	assert_success(sprofil(NULL, 0, &tv, 0));
	assert_int_equal(tv.tv_sec, 1);
	assert_int_equal(tv.tv_usec, 3333);
}

static void sprofil_period_is_rounded_to_the_nearest(void **state)
{
	struct timeval tv;

	(void)state;
	kernel.features.period_ns[PROFIL_RATE_CLOCK] = 976562;
	assert_success(sprofil(NULL, 0, &tv, 0));
	assert_int_equal(tv.tv_usec, 977);
}

static void sprofil_with_unreadable_entries_is_efault(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	assert_errno(sprofil(NULL, 1, NULL, 0), EFAULT);
	assert_errno(sprofil(KERNEL_MEMORY, 1, NULL, 0), EFAULT);
	kernel_assert_untouched();
}

static void sprofil_with_entries_that_end_in_a_hole_is_efault(void **state)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct prof *p = (struct prof *)(page + 4096 - sizeof(*p));

	(void)state;
	assert_true((void *)page != MAP_FAILED);
	*p = (struct prof){ counters, sizeof(counters), TEXT, 0x8000 };
	assert_int_equal(munmap(page + 4096, 4096), 0);
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	assert_errno(sprofil(p, 2, NULL, 0), EFAULT);
	kernel_assert_untouched();
	assert_success(sprofil(p, 1, NULL, 0));
	assert_int_equal(munmap(page, 4096), 0);
}

static void sprofil_with_an_unwritable_tvp_is_efault(void **state)
{
	static const struct timeval constant = { 1, 1 };
	struct prof p = { counters, sizeof(counters), TEXT, 0x8000 };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	assert_errno(sprofil(&p, 1, (struct timeval *)16, 0), EFAULT);
	assert_errno(sprofil(&p, 1, (struct timeval *)&constant, 0), EFAULT);
	assert_errno(sprofil(NULL, 0, (struct timeval *)16, 0), EFAULT);
	kernel_assert_untouched();
}

static void sprofil_with_a_negative_count_is_einval(void **state)
{
	struct prof p = { counters, sizeof(counters), TEXT, 0x8000 };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	assert_errno(sprofil(&p, -1, NULL, 0), EINVAL);
	assert_errno(sprofil(&p, INT_MIN, NULL, 0), EINVAL);
	kernel_assert_untouched();
}

static void sprofil_scale_beyond_32_bits_is_einval(void **state)
{
	struct prof p = { counters, sizeof(counters), TEXT, 0xffffffffUL };

	(void)state;
	assert_success(sprofil(&p, 1, NULL, 0));
	assert_int_equal(kernel_only_region()->scale, 0xffffffff);
	p.pr_scale++;
	assert_errno(sprofil(&p, 1, NULL, 0), EINVAL);
	assert_int_equal(kernel.histograms, 1);
}

static void sprofil_with_more_regions_than_the_module_takes_is_e2big(void **state)
{
	struct prof p[12];

	(void)state;
	for (int i = 0; i < 12; i++)
		p[i] = (struct prof){ counters, 2, TEXT, i < 10 ? 0x8000 : 0 };
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	kernel.features.max_regions = 9;
	assert_errno(sprofil(p, 12, NULL, 0), E2BIG);
	kernel.features.max_regions = 2;
	assert_errno(sprofil(p, 12, NULL, 0), E2BIG);
	kernel_assert_untouched();
	/* Entries that are off do not count. */
	kernel.features.max_regions = 10;
	assert_success(sprofil(p, 12, NULL, 0));
	assert_int_equal(kernel.histogram.nregions, 10);
}

static void sprofil_leaves_tvp_alone_when_it_fails(void **state)
{
	struct prof p = { KERNEL_MEMORY, 64, TEXT, 0x8000 };
	struct timeval tv = { 7, 8 };

	(void)state;
	assert_errno(sprofil(&p, 1, &tv, 0), EFAULT);
	assert_int_equal(tv.tv_sec, 7);
	assert_int_equal(tv.tv_usec, 8);
}

/* Pages of address space, from the real kernel. */
static long address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld", &pages), 1);
	fclose(file);
	return pages;
}

static void sprofil_leaves_no_memory_behind(void **state)
{
	struct prof p[1000] = { 0 };
	long before = address_space();

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_success(sprofil(p, 1000, NULL, 0));
	assert_true(address_space() - before < 1000);
}

/* And what ran runs on. */
static void a_start_that_is_refused_says_why(void **state)
{
	struct prof p = { counters, sizeof(counters), TEXT, 0x8000 };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 0);
	assert_refusals(assert_errno, profil(counters, sizeof(counters), TEXT, 0x8000));
	assert_refusals(assert_errno, sprofil(&p, 1, NULL, 0));
}

static void sprofil_without_the_module_is_enodev(void **state)
{
	struct prof p = { counters, sizeof(counters), TEXT, 0x8000 };

	(void)state;
	kernel.open_error = ENOENT;
	assert_errno(sprofil(&p, 1, NULL, 0), ENODEV);
	assert_errno(sprofil(NULL, 0, NULL, 0), ENODEV);
}

#define test(name) cmocka_unit_test_setup_teardown(name, kernel_boot, kernel_halt)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		test(profil_starts_one_region_of_shorts),
		test(profil_indexes_by_element),
		test(profil_counters_wrap),
		test(profil_stops_all_at_a_fault),
		test(profil_samples_at_the_clock_tick),
		test(profil_stops_with_a_null_buffer),
		test(profil_stops_with_scale_0_or_1_and_a_buffer),
		test(profil_stops_other_dialects_and_sample_arrays),
		test(profil_with_scale_2_is_a_clock_in_counter_0),
		test(profil_with_scale_2_and_offset_0_is_no_catch_all),
		test(profil_scales_above_65536_are_used_as_they_are),
		test(profil_offset_0_is_an_address_like_any_other),
		test(profil_offset_may_be_any_address),
		test(profil_with_bufsiz_0_starts_and_counts_nothing),
		test(profil_takes_odd_sizes_and_unaligned_buffers),
		test(profil_replaces_the_profile_that_runs),
		test(profil_with_a_buffer_in_the_kernel_is_efault),
		test(profil_with_a_size_that_wraps_is_einval),
		test(profil_without_the_module_is_enodev),
		test(profil_without_descriptors_is_emfile),
		test(sprofil_counts_in_shorts_by_default),
		test(sprofil_counts_in_ints_on_request),
		test(sprofil_counters_saturate),
		test(sprofil_ignores_fast_and_unknown_flags),
		test(sprofil_keeps_the_order_of_its_regions),
		test(sprofil_overflow_bin_takes_the_rest),
		test(sprofil_overflow_bin_may_be_anywhere),
		test(sprofil_second_overflow_bin_gets_nothing),
		test(sprofil_scale_2_elsewhere_is_ordinary),
		test(sprofil_ignores_entries_with_scale_0_or_1),
		test(sprofil_with_ignored_entries_only_stops),
		test(sprofil_of_nothing_stops),
		test(sprofil_second_call_replaces_the_first),
		test(sprofil_tells_the_true_period),
		test(sprofil_period_is_rounded_to_the_nearest),
		test(sprofil_with_unreadable_entries_is_efault),
		test(sprofil_with_entries_that_end_in_a_hole_is_efault),
		test(sprofil_with_an_unwritable_tvp_is_efault),
		test(sprofil_with_a_negative_count_is_einval),
		test(sprofil_scale_beyond_32_bits_is_einval),
		test(sprofil_with_more_regions_than_the_module_takes_is_e2big),
		test(sprofil_leaves_tvp_alone_when_it_fails),
		test(sprofil_leaves_no_memory_behind),
		test(a_start_that_is_refused_says_why),
		test(sprofil_without_the_module_is_enodev),
	};

	return cmocka_run_group_tests_name("glibc", tests, NULL, NULL);
}

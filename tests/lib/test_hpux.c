// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/hpux.c: sprofil() and profil() of HP-UX, rule by rule. */
#include "kernel.h"

#include <libprofil.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define TEXT		0x401000UL
#define KERNEL_MEMORY	((void *)0xffff888000000000UL)

static unsigned long long counters[64];

static struct prof entry(unsigned long offset, unsigned int scale)
{
	return (struct prof){ counters, sizeof(counters), (void *)offset,
			      scale };
}

static void sprofil_regions_follow_the_row(void **state)
{
	struct prof p = entry(TEXT, 0x8000);
	const struct profil_region *r;

	(void)state;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	r = kernel_only_region();
	assert_int_equal(r->buf, (uintptr_t)counters);
	assert_int_equal(r->size, sizeof(counters));
	assert_int_equal(r->offset, TEXT);
	assert_int_equal(r->scale, 0x8000);
	assert_int_equal(r->index, PROFIL_INDEX_BYTE_DOWN);
	assert_int_equal(r->at_limit, PROFIL_LIMIT_SATURATE);
	assert_int_equal(r->limit, 0);
	assert_int_equal(r->on_fault, PROFIL_FAULT_STOP_ALL);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_HPUX);
}

static void sprofil_width_is_in_the_flags(void **state)
{
	static const struct { unsigned int flags, width; } rows[] = {
		{ PROF_USHORT, 2 }, { PROF_UINT, 4 }, { PROF_UINT64, 8 },
	};
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_success(sprofil(&p, 1, NULL, rows[i].flags));
		assert_int_equal(kernel_only_region()->width, rows[i].width);
	}
}

static void sprofil_with_other_flags_is_einval(void **state)
{
	static const unsigned int bad[] = { 0, 3, 5, 6, 7, 8, 9, 0x80000001 };
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_HPUX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_errno(sprofil(&p, 1, NULL, bad[i]), EINVAL);
	kernel_assert_untouched();
}

static void sprofil_of_nothing_disables(void **state)
{
	struct timeval tv = { 5, 5 };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_HPUX);
	assert_success(sprofil(NULL, 0, &tv, PROF_USHORT));
	assert_int_equal(kernel.stops, 1);
	assert_int_equal(tv.tv_usec, 10000);
	assert_success(sprofil(NULL, 0, NULL, 0));
	assert_int_equal(kernel.stops, 2);
}

static void sprofil_counts_out_of_bounds_are_e2big(void **state)
{
	struct prof p[101];

	(void)state;
	for (int i = 0; i < 101; i++)
		p[i] = entry(TEXT + 64UL * (unsigned long)i, 0x8000);
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_HPUX);
	assert_errno(sprofil(p, -1, NULL, PROF_USHORT), E2BIG);
	assert_errno(sprofil(p, 101, NULL, PROF_USHORT), E2BIG);
	kernel_assert_untouched();
	assert_int_equal(sysconf(_SC_PROFIL_MAX), 100);
	assert_success(sprofil(p, 100, NULL, PROF_USHORT));
	assert_int_equal(kernel.histogram.nregions, 100);
}

static void sysconf_follows_the_module_down(void **state)
{
	struct prof p[3] = { entry(TEXT, 3), entry(TEXT, 3), entry(TEXT, 3) };

	(void)state;
	kernel.features.max_regions = 2;
	assert_int_equal(sysconf(_SC_PROFIL_MAX), 2);
	assert_errno(sprofil(p, 3, NULL, PROF_USHORT), E2BIG);
	kernel.open_error = ENOENT;
	errno = ERANGE;
	assert_int_equal(sysconf(_SC_PROFIL_MAX), 100);
	assert_int_equal(errno, ERANGE);
}

static void sysconf_answers_what_libc_answers(void **state)
{
	(void)state;
	assert_int_equal(sysconf(_SC_PAGESIZE), getpagesize());
	assert_int_equal(sysconf(_SC_CLK_TCK), 100);
}

static void sprofil_with_bad_pointers_is_efault(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_HPUX);
	assert_errno(sprofil(NULL, 1, NULL, PROF_USHORT), EFAULT);
	assert_errno(sprofil(KERNEL_MEMORY, 1, NULL, PROF_USHORT), EFAULT);
	assert_errno(sprofil(&p, 1, KERNEL_MEMORY, PROF_USHORT), EFAULT);
	kernel_assert_untouched();
}

static void sprofil_size_is_whole_counters_and_not_zero(void **state)
{
	static const struct { unsigned int size, flags; } bad[] = {
		{ 0, PROF_USHORT }, { 7, PROF_USHORT }, { 6, PROF_UINT },
		{ 12, PROF_UINT64 },
	};
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_HPUX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		p.pr_size = bad[i].size;
		assert_errno(sprofil(&p, 1, NULL, bad[i].flags), EINVAL);
	}
	kernel_assert_untouched();
}

static void sprofil_size_has_a_limit_that_grows_with_the_scale(void **state)
{
	struct prof p = entry(TEXT, 2);

	(void)state;
	/* 2^46 * 2 / 65536 */
	p.pr_size = 0x80000000;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	p.pr_size = 0x80000002;
	assert_errno(sprofil(&p, 1, NULL, PROF_USHORT), EINVAL);
	p.pr_scale = 3;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
}

static void sprofil_offsets_ascend(void **state)
{
	struct prof p[3] = { entry(TEXT, 0x8000), entry(TEXT + 64, 0x8000),
			     entry(TEXT + 63, 0x8000) };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_HPUX);
	assert_errno(sprofil(p, 3, NULL, PROF_USHORT), EINVAL);
	kernel_assert_untouched();
	p[2].pr_offset = (void *)(TEXT + 65);
	assert_success(sprofil(p, 3, NULL, PROF_USHORT));
}

static void sprofil_takes_overlap_and_equal_offsets(void **state)
{
	struct prof p[2] = { entry(TEXT, 0x8000), entry(TEXT, 0x4000) };

	(void)state;
	assert_success(sprofil(p, 2, NULL, PROF_USHORT));
	assert_int_equal(kernel.histogram.nregions, 2);
	assert_int_equal(kernel.regions[0].scale, 0x8000);
}

static void sprofil_overflow_bin_is_last_and_one_counter(void **state)
{
	struct prof p[2] = { entry(TEXT, 0x8000),
			     { counters, 4, NULL, 2 } };

	(void)state;
	assert_success(sprofil(p, 2, NULL, PROF_UINT));
	assert_int_equal(kernel.regions[1].flags, PROFIL_REGION_CATCH_ALL);
	assert_int_equal(kernel.regions[1].size, 4);
}

static void sprofil_overflow_bin_of_another_size_is_einval(void **state)
{
	struct prof p[2] = { entry(TEXT, 0x8000), { counters, 4, NULL, 2 } };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_HPUX);
	assert_errno(sprofil(p, 2, NULL, PROF_USHORT), EINVAL);
	p[1].pr_size = 8;
	assert_errno(sprofil(p, 2, NULL, PROF_UINT), EINVAL);
	p[1].pr_size = 0;
	assert_errno(sprofil(p, 2, NULL, PROF_UINT), EINVAL);
	kernel_assert_untouched();
}

static void sprofil_overflow_bin_elsewhere_is_einval(void **state)
{
	struct prof p[2] = { { counters, 2, NULL, 2 }, entry(TEXT, 0x8000) };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_HPUX);
	assert_errno(sprofil(p, 2, NULL, PROF_USHORT), EINVAL);
	kernel_assert_untouched();
}

static void sprofil_entries_with_scale_0_or_1_are_off(void **state)
{
	struct prof p[3] = { entry(TEXT, 0), entry(TEXT + 64, 1),
			     entry(TEXT + 128, 0x8000) };

	(void)state;
	p[0].pr_size = 0;
	assert_success(sprofil(p, 3, NULL, PROF_USHORT));
	assert_int_equal(kernel_only_region()->offset, TEXT + 128);
}

static void sprofil_takes_the_scales_of_the_tables(void **state)
{
	(void)state;
	for (unsigned int scale = 2; scale <= 131072; scale *= 2) {
		struct prof p = entry(TEXT, scale);

		assert_success(sprofil(&p, 1, NULL, PROF_UINT64));
		assert_int_equal(kernel_only_region()->scale, scale);
	}
}

static void sprofil_disables_and_enables_anew(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	p.pr_offset = (void *)(TEXT + 4096);
	assert_success(sprofil(&p, 1, NULL, PROF_UINT));
	assert_int_equal(kernel_only_region()->offset, TEXT + 4096);
}

static void sprofil_impossible_buffers_are_off(void **state)
{
	struct prof p[2] = { entry(TEXT, 0x8000), entry(TEXT + 64, 0x8000) };

	(void)state;
	p[0].pr_base = KERNEL_MEMORY;
	assert_success(sprofil(p, 2, NULL, PROF_USHORT));
	assert_int_equal(kernel_only_region()->offset, TEXT + 64);
}

/* And what ran runs on. */
static void a_start_that_is_refused_says_why(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 0);
	assert_refusals(assert_errno, sprofil(&p, 1, NULL, PROF_USHORT));
	assert_refusals(assert_sets, profil((unsigned short *)counters, 64, TEXT, 0x8000));
}

static void sprofil_without_the_module_is_enodev(void **state)
{
	struct prof p = entry(TEXT, 0x8000);

	(void)state;
	kernel.open_error = ENOENT;
	assert_errno(sprofil(&p, 1, NULL, PROF_USHORT), ENODEV);
	assert_errno(sprofil(NULL, 0, NULL, 0), ENODEV);
}

#define assert_silent(call) do {				\
		errno = ERANGE;					\
		call;						\
		assert_int_equal(errno, ERANGE);		\
	} while (0)

static void profil_is_an_sprofil_of_one_short_entry(void **state)
{
	struct prof p = entry(TEXT, 0x8000);
	struct profil_region r;

	(void)state;
	assert_success(sprofil(&p, 1, NULL, PROF_USHORT));
	r = *kernel_only_region();
	assert_silent(profil((unsigned short *)counters, sizeof(counters), TEXT,
			     0x8000));
	assert_memory_equal(kernel_only_region(), &r, sizeof(r));
}

static void profil_is_turned_off_by_scale_0_or_1(void **state)
{
	(void)state;
	assert_silent(profil(NULL, 0, 0, 0));
	assert_silent(profil((unsigned short *)counters, 64, TEXT, 1));
	assert_int_equal(kernel.stops, 2);
}

static void profil_has_none_of_the_errors_of_sprofil(void **state)
{
	unsigned short *buff = (unsigned short *)counters;

	(void)state;
	assert_silent(profil(buff, 0, TEXT, 0x8000));
	assert_int_equal(kernel_only_region()->size, 0);
	assert_silent(profil(buff, 7, TEXT, 0x8000));
	assert_int_equal(kernel_only_region()->size, 7);
	assert_silent(profil(buff, 64, 0, 2));
	assert_int_equal(kernel_only_region()->flags, PROFIL_REGION_CATCH_ALL);
	assert_silent(profil(KERNEL_MEMORY, 64, TEXT, 0x8000));
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
}

#define test(name) cmocka_unit_test_setup_teardown(name, kernel_boot, kernel_halt)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		test(sprofil_regions_follow_the_row),
		test(sprofil_width_is_in_the_flags),
		test(sprofil_with_other_flags_is_einval),
		test(sprofil_of_nothing_disables),
		test(sprofil_counts_out_of_bounds_are_e2big),
		test(sysconf_follows_the_module_down),
		test(sysconf_answers_what_libc_answers),
		test(sprofil_with_bad_pointers_is_efault),
		test(sprofil_size_is_whole_counters_and_not_zero),
		test(sprofil_size_has_a_limit_that_grows_with_the_scale),
		test(sprofil_offsets_ascend),
		test(sprofil_takes_overlap_and_equal_offsets),
		test(sprofil_overflow_bin_is_last_and_one_counter),
		test(sprofil_overflow_bin_of_another_size_is_einval),
		test(sprofil_overflow_bin_elsewhere_is_einval),
		test(sprofil_entries_with_scale_0_or_1_are_off),
		test(sprofil_takes_the_scales_of_the_tables),
		test(sprofil_disables_and_enables_anew),
		test(sprofil_impossible_buffers_are_off),
		test(a_start_that_is_refused_says_why),
		test(sprofil_without_the_module_is_enodev),
		test(profil_is_an_sprofil_of_one_short_entry),
		test(profil_is_turned_off_by_scale_0_or_1),
		test(profil_has_none_of_the_errors_of_sprofil),
	};

	return cmocka_run_group_tests_name("hpux", tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/bsd.c: profil() of the BSDs, rule by rule. */
#include "kernel.h"

#include <libprofil.h>
#include <limits.h>
#include <unistd.h>

int profil_bsd_man(char *samples, size_t size, unsigned long offset,
		   unsigned int scale);

#define TEXT		0x401000UL
#define KERNEL_MEMORY	((void *)0xffff888000000000UL)

static char counters[128];
static const char constant[4096];

static void counts_bytes_rounded_down(void **state)
{
	const struct profil_region *r;

	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 32768));
	r = kernel_only_region();
	assert_int_equal(r->buf, (uintptr_t)counters);
	assert_int_equal(r->size, sizeof(counters));
	assert_int_equal(r->offset, TEXT);
	assert_int_equal(r->scale, 32768);
	assert_int_equal(r->width, 2);
	assert_int_equal(r->index, PROFIL_INDEX_BYTE_DOWN);
	assert_int_equal(r->on_fault, PROFIL_FAULT_STOP_ALL);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_BSD);
	assert_int_equal(kernel.histogram.rate, PROFIL_RATE_CLOCK);
}

static void counters_wrap(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 32768));
	assert_int_equal(kernel_only_region()->at_limit, PROFIL_LIMIT_WRAP);
}

static void only_scale_0_turns_it_off(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_BSD);
	assert_success(profil(counters, sizeof(counters), TEXT, 0));
	assert_int_equal(kernel.stops, 1);
	assert_int_equal(kernel.histograms, 0);
}

static void scales_1_and_2_are_ordinary(void **state)
{
	(void)state;
	for (unsigned int scale = 1; scale < 3; scale++) {
		assert_success(profil(counters, 128, TEXT, scale));
		assert_int_equal(kernel_only_region()->scale, scale);
		assert_success(profil(counters, 128, 0, scale));
		assert_int_equal(kernel_only_region()->scale, scale);
		assert_int_equal(kernel_only_region()->flags, 0);
	}
}

static void scale_65536_is_the_largest(void **state)
{
	(void)state;
	assert_success(profil(counters, 128, TEXT, 65536));
	assert_int_equal(kernel_only_region()->scale, 65536);
	assert_errno(profil(counters, 128, TEXT, 65537), EINVAL);
	assert_errno(profil(counters, 128, TEXT, 0x20000), EINVAL);
	assert_errno(profil(counters, 128, TEXT, UINT_MAX), EINVAL);
	assert_int_equal(kernel.histograms, 1);
	assert_int_equal(kernel.stops, 0);
}

static void size_0_is_ineffective(void **state)
{
	(void)state;
	assert_success(profil(counters, 0, TEXT, 32768));
	assert_int_equal(kernel_only_region()->size, 0);
}

static void an_impossible_buffer_succeeds_and_is_off(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_BSD);
	assert_success(profil(KERNEL_MEMORY, 64, TEXT, 32768));
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
}

static void a_read_only_buffer_is_found_out_at_the_tick(void **state)
{
	(void)state;
	assert_success(profil((char *)constant, 64, TEXT, 32768));
	assert_int_equal(kernel_only_region()->buf, (uintptr_t)constant);
}

static void as_documented_a_bad_buffer_is_efault_and_ends_it(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_BSD);
	assert_errno(profil_bsd_man(KERNEL_MEMORY, 64, TEXT, 32768), EFAULT);
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_BSD);
	assert_errno(profil_bsd_man((char *)constant, 64, TEXT, 1), EFAULT);
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
}

static void as_documented_a_bad_buffer_may_be_turned_off(void **state)
{
	(void)state;
	assert_success(profil_bsd_man(KERNEL_MEMORY, 64, TEXT, 0));
	assert_int_equal(kernel.stops, 1);
}

static void as_documented_the_distance_is_halved_before_it_is_scaled(void **state)
{
	(void)state;
	assert_success(profil_bsd_man(counters, 128, TEXT, 32768));
	assert_int_equal(kernel_only_region()->index, PROFIL_INDEX_ELEMENT);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_BSD_MAN);
}

static void as_documented_all_else_is_the_same(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_BSD);
	assert_errno(profil_bsd_man(KERNEL_MEMORY, 64, TEXT, 65537), EINVAL);
	kernel_assert_untouched();
	assert_success(profil_bsd_man(counters, 128, TEXT, 1));
	assert_int_equal(kernel_only_region()->scale, 1);
}

/* And what ran runs on. */
static void a_start_that_is_refused_says_why(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 0);
	assert_refusals(assert_errno, profil(counters, 128, TEXT, 32768));
	assert_refusals(assert_errno, profil_bsd_man(counters, 128, TEXT, 32768));
}

static void without_the_module_it_is_enodev(void **state)
{
	(void)state;
	kernel.open_error = ENOENT;
	assert_errno(profil(counters, 128, TEXT, 32768), ENODEV);
	assert_errno(profil_bsd_man(counters, 128, TEXT, 32768), ENODEV);
}

#define test(name) cmocka_unit_test_setup_teardown(name, kernel_boot, kernel_halt)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		test(counts_bytes_rounded_down),
		test(counters_wrap),
		test(only_scale_0_turns_it_off),
		test(scales_1_and_2_are_ordinary),
		test(scale_65536_is_the_largest),
		test(size_0_is_ineffective),
		test(an_impossible_buffer_succeeds_and_is_off),
		test(a_read_only_buffer_is_found_out_at_the_tick),
		test(as_documented_a_bad_buffer_is_efault_and_ends_it),
		test(as_documented_a_bad_buffer_may_be_turned_off),
		test(as_documented_the_distance_is_halved_before_it_is_scaled),
		test(as_documented_all_else_is_the_same),
		test(a_start_that_is_refused_says_why),
		test(without_the_module_it_is_enodev),
	};

	return cmocka_run_group_tests_name("bsd", tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/solaris.c: profil() and pcsample() of Solaris, rule by rule. */
#include "kernel.h"

#include <libprofil.h>
#include <limits.h>
#include <pcsample.h>
#include <unistd.h>

#define TEXT		0x401000UL
#define KERNEL_MEMORY	((void *)0xffff888000000000UL)

static unsigned short counters[64];
static uintptr_t samples[64];

/* profil() is void: it did not fail if errno is what it was. */
#define assert_silent(call) do {				\
		errno = ERANGE;					\
		call;						\
		assert_int_equal(errno, ERANGE);		\
	} while (0)

static void profil_counts_bytes_rounded_down(void **state)
{
	const struct profil_region *r;

	(void)state;
	assert_silent(profil(counters, sizeof(counters), TEXT, 0x4000));
	r = kernel_only_region();
	assert_int_equal(r->buf, (uintptr_t)counters);
	assert_int_equal(r->size, sizeof(counters));
	assert_int_equal(r->offset, TEXT);
	assert_int_equal(r->scale, 0x4000);
	assert_int_equal(r->width, 2);
	assert_int_equal(r->index, PROFIL_INDEX_BYTE_DOWN);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_SOLARIS);
	assert_int_equal(kernel.histogram.rate, PROFIL_RATE_CLOCK);
}

static void profil_stops_once_a_count_reaches_32767(void **state)
{
	(void)state;
	assert_silent(profil(counters, sizeof(counters), TEXT, 0x4000));
	assert_int_equal(kernel_only_region()->limit, 32767);
	assert_int_equal(kernel_only_region()->at_limit, PROFIL_LIMIT_STOP);
}

static void profil_stops_all_at_a_fault(void **state)
{
	(void)state;
	assert_silent(profil(counters, sizeof(counters), TEXT, 0x4000));
	assert_int_equal(kernel_only_region()->on_fault,
			 PROFIL_FAULT_STOP_ALL);
}

static void profil_is_turned_off_by_scale_0_or_1(void **state)
{
	(void)state;
	for (unsigned int scale = 0; scale < 2; scale++) {
		kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_SOLARIS);
		assert_silent(profil(counters, 64, TEXT, scale));
		assert_int_equal(kernel.stops, scale + 1);
	}
	assert_int_equal(kernel.histograms, 0);
}

static void profil_with_a_null_buffer_is_no_stop(void **state)
{
	(void)state;
	assert_silent(profil(NULL, 64, TEXT, 0x4000));
	assert_int_equal(kernel_only_region()->buf, 0);
}

static void profil_with_scale_2_counts_all_in_counter_0(void **state)
{
	(void)state;
	assert_silent(profil(counters, sizeof(counters), TEXT, 2));
	assert_int_equal(kernel_only_region()->scale, 0);
	assert_int_equal(kernel_only_region()->offset, TEXT);
	assert_int_equal(kernel_only_region()->flags, 0);
}

static void profil_with_bufsiz_0_is_ineffective(void **state)
{
	(void)state;
	assert_silent(profil(counters, 0, TEXT, 0x4000));
	assert_int_equal(kernel_only_region()->size, 0);
}

static void profil_takes_any_scale(void **state)
{
	static const unsigned int scales[] = { 3, 0xffff, 0x10000, 0x20000,
					       UINT_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		assert_silent(profil(counters, 64, TEXT, scales[i]));
		assert_int_equal(kernel_only_region()->scale, scales[i]);
	}
}

static void profil_takes_odd_buffers_and_sizes(void **state)
{
	unsigned short *odd = (unsigned short *)((char *)counters + 1);

	(void)state;
	assert_silent(profil(odd, 7, TEXT, 0x4000));
	assert_int_equal(kernel_only_region()->buf, (uintptr_t)odd);
	assert_int_equal(kernel_only_region()->size, 7);
}

static void profil_with_an_impossible_buffer_is_off_and_silent(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_SOLARIS);
	assert_silent(profil(KERNEL_MEMORY, 64, TEXT, 0x4000));
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
}

static void profil_with_a_size_beyond_user_space_counts_what_fits(void **state)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX / 2,
					KERNEL_USER_END };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_silent(profil(counters, sizes[i], TEXT, 0x4000));
		assert_int_equal(kernel_only_region()->buf, (uintptr_t)counters);
		assert_int_equal(kernel_only_region()->size,
				 KERNEL_USER_END - (uintptr_t)counters);
	}
}

static void profil_without_the_module_says_so_in_errno(void **state)
{
	(void)state;
	kernel.open_error = ENOENT;
	errno = 0;
	profil(counters, 64, TEXT, 0x4000);
	assert_int_equal(errno, ENODEV);
}

/* pcsample() */

static void pcsample_stores_pointers(void **state)
{
	(void)state;
	assert_success(pcsample(samples, 64));
	assert_int_equal(kernel.status.mode, PROFIL_MODE_SAMPLES);
	assert_int_equal(kernel.samples.buf, (uintptr_t)samples);
	assert_int_equal(kernel.samples.nsamples, 64);
	assert_int_equal(kernel.samples.width, sizeof(void *));
	assert_int_equal(kernel.samples.rate, PROFIL_RATE_CLOCK);
	assert_int_equal(kernel.samples.flags, 0);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_PCSAMPLE);
}

static void pcsample_returns_0_the_first_time(void **state)
{
	(void)state;
	assert_success(pcsample(samples, 64));
}

static void pcsample_returns_what_was_stored_since_the_last_call(void **state)
{
	(void)state;
	assert_success(pcsample(samples, 64));
	kernel.status.nsamples = 17;
	errno = ERANGE;
	assert_int_equal(pcsample(samples, 32), 17);
	kernel.status.nsamples = 5;
	assert_int_equal(pcsample(samples, 32), 5);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(kernel.sampleses, 3);
}

static void pcsample_of_0_stops_and_returns_the_count(void **state)
{
	(void)state;
	assert_success(pcsample(samples, 64));
	kernel.status.nsamples = 9;
	assert_int_equal(pcsample(samples, 0), 9);
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
	assert_success(pcsample(NULL, 0));
	assert_success(pcsample(samples, 64));
}

static void pcsample_returns_the_count_of_a_full_array(void **state)
{
	(void)state;
	assert_success(pcsample(samples, 64));
	kernel_end(PROFIL_STATE_FULL, 64);
	assert_int_equal(pcsample(samples, 0), 64);
}

static void pcsample_returns_the_count_after_a_fault(void **state)
{
	(void)state;
	assert_success(pcsample(samples, 64));
	kernel_end(PROFIL_STATE_FAULT, 11);
	assert_int_equal(pcsample(samples, 64), 11);
}

static void pcsample_after_profil_returns_0(void **state)
{
	(void)state;
	assert_success(pcsample(samples, 64));
	kernel.status.nsamples = 20;
	assert_silent(profil(counters, sizeof(counters), TEXT, 0x4000));
	assert_success(pcsample(samples, 64));
	assert_int_equal(kernel.status.mode, PROFIL_MODE_SAMPLES);
}

static void pcsample_and_profil_exclude_each_other(void **state)
{
	(void)state;
	assert_success(pcsample(samples, 64));
	assert_silent(profil(counters, sizeof(counters), TEXT, 0x4000));
	assert_int_equal(kernel.status.mode, PROFIL_MODE_HISTOGRAM);
	assert_success(pcsample(samples, 64));
	assert_int_equal(kernel.status.mode, PROFIL_MODE_SAMPLES);
}

static void pcsample_of_a_negative_number_is_einval(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_SAMPLES, PROFIL_DIALECT_PCSAMPLE);
	assert_errno(pcsample(samples, -1), EINVAL);
	assert_errno(pcsample(samples, LONG_MIN), EINVAL);
	kernel_assert_untouched();
}

static void pcsample_into_an_impossible_array_stores_nothing(void **state)
{
	(void)state;
	assert_success(pcsample(samples, 64));
	kernel.status.nsamples = 3;
	errno = ERANGE;
	assert_int_equal(pcsample(KERNEL_MEMORY, 64), 3);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
}

static void pcsample_of_more_than_user_space_stores_what_fits(void **state)
{
	static const long sizes[] = { LONG_MAX, LONG_MAX / 4,
				      KERNEL_USER_END / sizeof(uintptr_t) };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_success(pcsample(samples, sizes[i]));
		assert_int_equal(kernel.samples.buf, (uintptr_t)samples);
		assert_int_equal(kernel.samples.nsamples,
				 (KERNEL_USER_END - (uintptr_t)samples) /
				 sizeof(uintptr_t));
	}
}

/* And what ran runs on. */
static void a_start_that_is_refused_says_why(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 0);
	assert_refusals(assert_errno, pcsample(samples, 64));
	assert_refusals(assert_sets, profil(counters, 64, TEXT, 0x4000));
}

static void pcsample_without_the_module_is_enodev(void **state)
{
	(void)state;
	kernel.open_error = ENOENT;
	assert_errno(pcsample(samples, 64), ENODEV);
	assert_errno(pcsample(samples, 0), ENODEV);
}

static void pcsample_without_memory_is_enomem(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
	kernel.samples_error = ENOMEM;
	assert_errno(pcsample(samples, 64), ENOMEM);
	kernel_assert_untouched();
}

#define test(name) cmocka_unit_test_setup_teardown(name, kernel_boot, kernel_halt)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		test(profil_counts_bytes_rounded_down),
		test(profil_stops_once_a_count_reaches_32767),
		test(profil_stops_all_at_a_fault),
		test(profil_is_turned_off_by_scale_0_or_1),
		test(profil_with_a_null_buffer_is_no_stop),
		test(profil_with_scale_2_counts_all_in_counter_0),
		test(profil_with_bufsiz_0_is_ineffective),
		test(profil_takes_any_scale),
		test(profil_takes_odd_buffers_and_sizes),
		test(profil_with_an_impossible_buffer_is_off_and_silent),
		test(profil_with_a_size_beyond_user_space_counts_what_fits),
		test(profil_without_the_module_says_so_in_errno),
		test(pcsample_stores_pointers),
		test(pcsample_returns_0_the_first_time),
		test(pcsample_returns_what_was_stored_since_the_last_call),
		test(pcsample_of_0_stops_and_returns_the_count),
		test(pcsample_returns_the_count_of_a_full_array),
		test(pcsample_returns_the_count_after_a_fault),
		test(pcsample_after_profil_returns_0),
		test(pcsample_and_profil_exclude_each_other),
		test(pcsample_of_a_negative_number_is_einval),
		test(pcsample_into_an_impossible_array_stores_nothing),
		test(pcsample_of_more_than_user_space_stores_what_fits),
		test(a_start_that_is_refused_says_why),
		test(pcsample_without_the_module_is_enodev),
		test(pcsample_without_memory_is_enomem),
	};

	return cmocka_run_group_tests_name("solaris", tests, NULL, NULL);
}

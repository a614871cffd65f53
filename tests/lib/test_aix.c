// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/aix.c: profil() of AIX, rule by rule. */
#include "kernel.h"

#include <libprofil.h>
#include <mon.h>
#include <stdlib.h>

#define TEXT		0x401000UL
#define KERNEL_MEMORY	((void *)0xffff888000000000UL)
#define TERMINATOR	{ (char *)1, NULL, KERNEL_MEMORY, -5, 77 }

static unsigned short counters[64];
static const unsigned short constant[2048];

static struct prof range(unsigned long low, unsigned long high,
			 unsigned int scale)
{
	return (struct prof){ (char *)low, (char *)high, counters,
			      sizeof(counters), scale };
}

/* profil(ShortBuffer, BufferSize, Offset, Scale) */

static void a_buffer_follows_the_row(void **state)
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
	assert_int_equal(r->index, PROFIL_INDEX_BYTE_UP);
	assert_int_equal(r->at_limit, PROFIL_LIMIT_SATURATE);
	assert_int_equal(r->on_fault, PROFIL_FAULT_STOP_ALL);
	assert_int_equal(r->limit, 0);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_AIX);
}

static void only_16_bits_of_the_scale_count(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 0x12348000));
	assert_int_equal(kernel_only_region()->scale, 0x8000);
}

static void scale_0x10000_turns_it_off(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_AIX);
	assert_success(profil(counters, sizeof(counters), TEXT, 0x10000));
	assert_int_equal(kernel.stops, 1);
}

static void scales_0_and_1_turn_it_off(void **state)
{
	static const unsigned int scales[] = { 0, 1, 0x10001, 0xffff0000 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_AIX);
		assert_success(profil(counters, 64, TEXT, scales[i]));
		assert_int_equal(kernel.stops, i + 1);
	}
	assert_int_equal(kernel.histograms, 0);
}

static void scale_2_maps_all_to_one_location(void **state)
{
	(void)state;
	assert_success(profil(counters, sizeof(counters), TEXT, 0x50002));
	assert_int_equal(kernel_only_region()->scale, 0);
	assert_int_equal(kernel_only_region()->offset, TEXT);
}

static void buffer_size_0_is_ineffective(void **state)
{
	(void)state;
	assert_success(profil(counters, 0, TEXT, 0x8000));
	assert_int_equal(kernel.histograms, 0);
	assert_success(profil(counters, sizeof(counters), TEXT, 0x8000));
	assert_int_equal(kernel.histograms, 1);
}

static void a_bad_buffer_is_efault(void **state)
{
	(void)state;
	assert_errno(profil(KERNEL_MEMORY, 64, TEXT, 0x8000), EFAULT);
	assert_errno(profil(NULL, 64, TEXT, 0x8000), EFAULT);
	assert_errno(profil((void *)constant, 4096, TEXT, 0x8000), EFAULT);
	assert_int_equal(kernel.histograms, 0);
}

static void without_memory_for_the_buffer_it_is_efault(void **state)
{
	(void)state;
	kernel.features.max_regions = 0;
	assert_errno(profil(counters, 64, TEXT, 0x8000), EFAULT);
}

/* profil(ProfBuffer, -1, 0, 0) */

static void ranges_follow_the_row(void **state)
{
	struct prof p[3] = {
		range(TEXT, TEXT + 128, 0x8000),
		range(TEXT + 4096, TEXT + 8192, 0x4000),
		TERMINATOR,
	};

	(void)state;
	assert_success(profil(p, -1, 0, 0));
	assert_int_equal(kernel.histogram.nregions, 2);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_AIX_RANGES);
	assert_int_equal(kernel.regions[0].offset, TEXT);
	assert_int_equal(kernel.regions[0].pc_end, TEXT + 128);
	assert_int_equal(kernel.regions[0].scale, 0x8000);
	assert_int_equal(kernel.regions[1].offset, TEXT + 4096);
	assert_int_equal(kernel.regions[1].pc_end, TEXT + 8192);
	assert_int_equal(kernel.regions[1].size, sizeof(counters));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kernel.regions[i].width, 2);
		assert_int_equal(kernel.regions[i].index, PROFIL_INDEX_BYTE_UP);
		assert_int_equal(kernel.regions[i].at_limit,
				 PROFIL_LIMIT_SATURATE);
		assert_int_equal(kernel.regions[i].on_fault,
				 PROFIL_FAULT_STOP_ALL);
	}
}

static void offset_and_scale_are_ignored_with_ranges(void **state)
{
	struct prof p[2] = { range(TEXT, TEXT + 128, 0x8000), TERMINATOR };

	(void)state;
	assert_success(profil(p, -1, 4711, 1));
	assert_int_equal(kernel_only_region()->offset, TEXT);
	assert_int_equal(kernel_only_region()->scale, 0x8000);
}

static void there_may_be_many_ranges(void **state)
{
	struct prof *p = calloc(1001, sizeof(*p));

	(void)state;
	assert_non_null(p);
	for (unsigned long i = 0; i < 1000; i++)
		p[i] = range(TEXT + 64 * i, TEXT + 64 * i + 64, 0x8000);
	assert_success(profil(p, -1, 0, 0));
	assert_int_equal(kernel.histogram.nregions, 1000);
	free(p);
}

static void more_ranges_than_the_module_takes_are_efault(void **state)
{
	struct prof p[3] = { range(TEXT, TEXT + 64, 0x8000),
			     range(TEXT, TEXT + 128, 0x8000), TERMINATOR };

	(void)state;
	kernel.features.max_regions = 1;
	assert_errno(profil(p, -1, 0, 0), EFAULT);
	assert_int_equal(kernel.histograms, 0);
}

static void scale_minus_1_is_computed(void **state)
{
	static const struct { unsigned long text; unsigned int scale; } rows[] = {
		{ 128, 0xffff }, { 64, 0xffff }, { 129, 65027 },
		{ 256, 0x8000 }, { 1024, 0x2000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct prof p[2] = { range(TEXT, TEXT + rows[i].text, -1),
				     TERMINATOR };

		kernel_boot(state);
		assert_success(profil(p, -1, 0, 0));
		assert_int_equal(kernel_only_region()->scale, rows[i].scale);
	}
}

static void scales_of_ranges_have_16_bits_too(void **state)
{
	struct prof p[4] = {
		range(TEXT, TEXT + 128, 0x10000),
		range(TEXT, TEXT + 256, 0x18000),
		range(TEXT, TEXT + 512, 1),
		TERMINATOR,
	};

	(void)state;
	assert_success(profil(p, -1, 0, 0));
	assert_int_equal(kernel_only_region()->scale, 0x8000);
	assert_int_equal(kernel_only_region()->pc_end, TEXT + 256);
}

static void a_range_with_scale_2_is_a_clock(void **state)
{
	struct prof p[2] = { range(TEXT, TEXT + 128, 2), TERMINATOR };

	(void)state;
	assert_success(profil(p, -1, 0, 0));
	assert_int_equal(kernel_only_region()->scale, 0);
	assert_int_equal(kernel_only_region()->pc_end, TEXT + 128);
}

static void p_high_that_does_not_ascend_is_einval(void **state)
{
	struct prof p[3] = { range(TEXT + 4096, TEXT + 8192, 0x8000),
			     range(TEXT, TEXT + 128, 0x8000), TERMINATOR };

	(void)state;
	assert_errno(profil(p, -1, 0, 0), EINVAL);
	p[1].p_high = p[0].p_high;
	assert_errno(profil(p, -1, 0, 0), EINVAL);
	p[1].p_high = p[0].p_high + 1;
	assert_success(profil(p, -1, 0, 0));
}

static void an_empty_range_is_einval(void **state)
{
	struct prof p[2] = { range(TEXT, TEXT, 0x8000), TERMINATOR };

	(void)state;
	assert_errno(profil(p, -1, 0, 0), EINVAL);
	p[0].p_high = (char *)(TEXT - 1);
	assert_errno(profil(p, -1, 0, 0), EINVAL);
	p[0].p_scale = -1;
	assert_errno(profil(p, -1, 0, 0), EINVAL);
}

static void a_bad_p_buff_is_efault(void **state)
{
	struct prof p[2] = { range(TEXT, TEXT + 128, 0x8000), TERMINATOR };

	(void)state;
	p[0].p_buff = (unsigned short *)constant;
	assert_errno(profil(p, -1, 0, 0), EFAULT);
	p[0].p_buff = KERNEL_MEMORY;
	assert_errno(profil(p, -1, 0, 0), EFAULT);
	p[0] = range(TEXT, TEXT + 128, 0x8000);
	p[0].p_bufsize = -2;
	assert_errno(profil(p, -1, 0, 0), EFAULT);
	assert_int_equal(kernel.histograms, 0);
}

static void a_bad_prof_buffer_is_efault(void **state)
{
	(void)state;
	assert_errno(profil(NULL, -1, 0, 0), EFAULT);
	assert_errno(profil(KERNEL_MEMORY, -1, 0, 0), EFAULT);
}

static void a_first_p_high_of_0_turns_it_off(void **state)
{
	struct prof p[1] = { TERMINATOR };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_AIX_RANGES);
	assert_success(profil(p, -1, 0, 0));
	assert_int_equal(kernel.stops, 1);
}

/* What is on decides. */

static void turning_on_what_is_on_is_ineffective(void **state)
{
	struct prof p[2] = { range(TEXT, TEXT + 128, 0x8000), TERMINATOR };

	(void)state;
	for (uint32_t form = PROFIL_DIALECT_AIX;
	     form <= PROFIL_DIALECT_AIX_RANGES; form++) {
		kernel_run(PROFIL_MODE_HISTOGRAM, form);
		assert_success(profil(counters, 64, TEXT, 0x4000));
		assert_success(profil(p, -1, 0, 0));
		assert_success(profil(KERNEL_MEMORY, 64, TEXT, 0x4000));
		assert_int_equal(kernel.status.tag, form);
	}
	kernel_assert_untouched();
}

static void turning_off_what_is_off_is_ineffective(void **state)
{
	struct prof p[1] = { TERMINATOR };

	(void)state;
	assert_success(profil(counters, 64, TEXT, 0));
	assert_success(profil(p, -1, 0, 0));
	assert_int_equal(kernel.stops, 0);
}

static void turning_off_with_the_other_form_is_ineffective(void **state)
{
	struct prof p[1] = { TERMINATOR };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_AIX);
	assert_success(profil(p, -1, 0, 0));
	kernel_assert_untouched();
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_AIX_RANGES);
	assert_success(profil(counters, 64, TEXT, 0));
	kernel_assert_untouched();
}

static void what_a_fault_ended_can_be_turned_on_again(void **state)
{
	(void)state;
	assert_success(profil(counters, 64, TEXT, 0x4000));
	kernel_end(PROFIL_STATE_FAULT, 0);
	assert_success(profil(counters, 64, TEXT, 0x8000));
	assert_int_equal(kernel_only_region()->scale, 0x8000);
}

static void profiles_of_other_systems_are_replaced_and_stopped(void **state)
{
	struct prof p[1] = { TERMINATOR };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_SOLARIS);
	assert_success(profil(counters, 64, TEXT, 0x4000));
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_AIX);
	kernel_run(PROFIL_MODE_SAMPLES, PROFIL_DIALECT_PCSAMPLE);
	assert_success(profil(p, -1, 0, 0));
	assert_int_equal(kernel.stops, 1);
}

/* And what ran runs on. */
static void a_start_that_is_refused_says_why(void **state)
{
	struct prof p[2] = { range(TEXT, TEXT + 128, 0x8000), TERMINATOR };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 0);
	assert_refusals(assert_errno, profil(counters, 64, TEXT, 0x8000));
	assert_refusals(assert_errno, profil(p, -1, 0, 0));
}

static void without_the_module_it_is_enodev(void **state)
{
	struct prof p[2] = { range(TEXT, TEXT + 128, 0x8000), TERMINATOR };

	(void)state;
	kernel.open_error = ENOENT;
	assert_errno(profil(counters, 64, TEXT, 0x8000), ENODEV);
	assert_errno(profil(counters, 64, TEXT, 0), ENODEV);
	assert_errno(profil(p, -1, 0, 0), ENODEV);
}

#define test(name) cmocka_unit_test_setup_teardown(name, kernel_boot, kernel_halt)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		test(a_buffer_follows_the_row),
		test(only_16_bits_of_the_scale_count),
		test(scale_0x10000_turns_it_off),
		test(scales_0_and_1_turn_it_off),
		test(scale_2_maps_all_to_one_location),
		test(buffer_size_0_is_ineffective),
		test(a_bad_buffer_is_efault),
		test(without_memory_for_the_buffer_it_is_efault),
		test(ranges_follow_the_row),
		test(offset_and_scale_are_ignored_with_ranges),
		test(there_may_be_many_ranges),
		test(more_ranges_than_the_module_takes_are_efault),
		test(scale_minus_1_is_computed),
		test(scales_of_ranges_have_16_bits_too),
		test(a_range_with_scale_2_is_a_clock),
		test(p_high_that_does_not_ascend_is_einval),
		test(an_empty_range_is_einval),
		test(a_bad_p_buff_is_efault),
		test(a_bad_prof_buffer_is_efault),
		test(a_first_p_high_of_0_turns_it_off),
		test(turning_on_what_is_on_is_ineffective),
		test(turning_off_what_is_off_is_ineffective),
		test(turning_off_with_the_other_form_is_ineffective),
		test(what_a_fault_ended_can_be_turned_on_again),
		test(profiles_of_other_systems_are_replaced_and_stopped),
		test(a_start_that_is_refused_says_why),
		test(without_the_module_it_is_enodev),
	};

	return cmocka_run_group_tests_name("aix", tests, NULL, NULL);
}

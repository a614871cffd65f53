// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/tru64.c: profil() and getsysinfo() of Tru64, rule by rule. */
#include "kernel.h"

#include <libprofil.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#define TEXT		0x401000UL
#define KERNEL_MEMORY	((void *)0xffff888000000000UL)
#define RANGES		((void *)-1)

static unsigned short counters[64];
static unsigned int wide[64];

/* The call of programs is void: whether it failed is seen in errno. */
#define assert_silent(call) do {				\
		errno = ERANGE;					\
		call;						\
		assert_int_equal(errno, ERANGE);		\
	} while (0)

static struct profil_args range(unsigned long low, unsigned long high,
				unsigned long scale)
{
	return (struct profil_args){ wide, (void *)high, (void *)low, scale };
}

/* profil(buffer, size, offset, scale) */

static void a_buffer_follows_the_row(void **state)
{
	const struct profil_region *r;

	(void)state;
	assert_silent(profil(counters, sizeof(counters), TEXT, 0x10000));
	r = kernel_only_region();
	assert_int_equal(r->buf, (uintptr_t)counters);
	assert_int_equal(r->size, sizeof(counters));
	assert_int_equal(r->offset, TEXT);
	assert_int_equal(r->scale, 0x10000);
	assert_int_equal(r->width, 2);
	assert_int_equal(r->index, PROFIL_INDEX_BYTE_DOWN);
	assert_int_equal(r->at_limit, PROFIL_LIMIT_SATURATE);
	assert_int_equal(r->on_fault, PROFIL_FAULT_STOP_ALL);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64);
}

static void an_offset_may_be_a_pointer_or_a_function(void **state)
{
	(void)state;
	assert_silent(profil(counters, 64, (void *)TEXT, 0x8000));
	assert_int_equal(kernel_only_region()->offset, TEXT);
	assert_silent(profil(counters, 64, an_offset_may_be_a_pointer_or_a_function,
			     0x8000));
	assert_int_equal(kernel_only_region()->offset,
			 (uintptr_t)an_offset_may_be_a_pointer_or_a_function);
}

static void profil_can_be_called_through_a_pointer(void **state)
{
	void (*call)(unsigned short *, unsigned int, void *, unsigned int) =
		profil;

	(void)state;
	assert_silent(call(counters, 64, (void *)TEXT, 0x8000));
	assert_int_equal(kernel_only_region()->offset, TEXT);
}

static void scale_0_or_1_turns_a_buffer_off(void **state)
{
	(void)state;
	assert_silent(profil(0, 0, 0, 0));
	assert_silent(profil(counters, 64, TEXT, PROFIL_SCALE_STOP_1));
	assert_int_equal(kernel.stops, 2);
	assert_int_equal(kernel.histograms, 0);
}

static void scale_2_counts_all_in_the_first(void **state)
{
	(void)state;
	assert_silent(profil(counters, 64, TEXT, PROFIL_SCALE_TOTAL));
	assert_int_equal(kernel_only_region()->scale, 0);
	assert_int_equal(kernel_only_region()->offset, TEXT);
	assert_int_equal(kernel_only_region()->flags, 0);
}

static void a_buffer_takes_any_scale(void **state)
{
	static const unsigned int scales[] = { 3, 0xffff, 0x20000, 0xffffffff };

	(void)state;
	for (int i = 0; i < 4; i++) {
		assert_silent(profil(counters, 64, TEXT, scales[i]));
		assert_int_equal(kernel_only_region()->scale, scales[i]);
	}
}

static void an_impossible_buffer_is_off(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	assert_silent(profil(KERNEL_MEMORY, 64, TEXT, 0x8000));
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
}

/* profil(args, n, -1, flags) */

static void ranges_follow_the_row(void **state)
{
	struct profil_args args[2] = {
		range(TEXT + 4096, TEXT + 4096 + 255, 0x10000),
		range(TEXT, TEXT + 127, 0x8000),
	};
	const struct profil_region *r = kernel.regions;

	(void)state;
	assert_silent(profil(args, 2, -1, 0));
	assert_int_equal(kernel.histogram.nregions, 2);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64_RANGES);
	assert_int_equal(r[0].offset, TEXT + 4096);
	assert_int_equal(r[0].pc_end, TEXT + 4096 + 256);
	assert_int_equal(r[1].offset, TEXT);
	assert_int_equal(r[1].scale, 0x8000);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(r[i].buf, (uintptr_t)wide);
		assert_int_equal(r[i].width, 4);
		assert_int_equal(r[i].index, PROFIL_INDEX_BYTE_DOWN);
		assert_int_equal(r[i].at_limit, PROFIL_LIMIT_SATURATE);
		assert_int_equal(r[i].on_fault, PROFIL_FAULT_STOP_REGION);
	}
}

static void the_last_pc_is_in_the_last_counter(void **state)
{
	static const struct {
		unsigned long high, scale, size;
	} rows[] = {
		{ TEXT, 0x10000, 4 },
		{ TEXT + 3, 0x10000, 4 },
		{ TEXT + 4, 0x10000, 8 },
		{ TEXT + 127, 0x10000, 128 },
		{ TEXT + 127, 0x8000, 64 },
		{ TEXT + 128, 0x8000, 68 },
		{ TEXT + 127, 0x20000, 256 },
		{ TEXT + 0x2ffff, 3, 12 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct profil_args args = range(TEXT, rows[i].high,
						rows[i].scale);

		assert_silent(profil(&args, 1, -1, 0));
		assert_int_equal(kernel_only_region()->size, rows[i].size);
		assert_int_equal(kernel_only_region()->pc_end,
				 rows[i].high + 1);
	}
}

static void minus_1_may_have_any_type(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);

	(void)state;
	assert_silent(profil(&args, 1, -1, 0));
	assert_silent(profil(&args, 1, -1L, 0));
	assert_silent(profil(&args, 1, (void *)-1, 0));
	assert_silent(profil((unsigned short *)&args, 1, (char *)-1, 0));
	assert_int_equal(kernel.histograms, 4);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64_RANGES);
}

static void a_range_with_scale_2_is_a_clock(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 0xfffff, 2);

	(void)state;
	assert_silent(profil(&args, 1, -1, 0));
	assert_int_equal(kernel_only_region()->scale, 0);
	assert_int_equal(kernel_only_region()->size, 4);
	assert_int_equal(kernel_only_region()->pc_end, TEXT + 0x100000);
}

static void ranges_with_scale_0_or_1_are_off(void **state)
{
	struct profil_args args[3] = {
		range(TEXT + 8192, TEXT + 8192 + 255, 0),
		range(TEXT + 4096, TEXT + 4096 + 255, 0x10000),
		range(TEXT, TEXT + 127, 1),
	};

	(void)state;
	assert_silent(profil(args, 3, -1, 0));
	assert_int_equal(kernel_only_region()->offset, TEXT + 4096);
	args[1].scale = 0;
	assert_silent(profil(args, 3, -1, 0));
	assert_int_equal(kernel.stops, 1);
}

static void ranges_that_do_not_decrease_are_einval(void **state)
{
	struct profil_args args[2] = {
		range(TEXT, TEXT + 127, 0x10000),
		range(TEXT + 4096, TEXT + 4096 + 255, 0x10000),
	};

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	assert_sets(profil(args, 2, -1, 0), EINVAL);
	assert_errno(profil_tru64(args, 2, RANGES, 0), EINVAL);
	kernel_assert_untouched();
}

static void ranges_that_overlap_are_einval(void **state)
{
	struct profil_args args[2] = {
		range(TEXT + 128, TEXT + 255, 0x10000),
		range(TEXT, TEXT + 128, 0x10000),
	};

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	assert_sets(profil(args, 2, -1, 0), EINVAL);
	kernel_assert_untouched();
	args[1].highpc = (void *)(TEXT + 127);
	assert_silent(profil(args, 2, -1, 0));
}

static void a_range_that_ends_before_it_begins_is_einval(void **state)
{
	struct profil_args args = range(TEXT + 1, TEXT, 0x10000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	assert_sets(profil(&args, 1, -1, 0), EINVAL);
	kernel_assert_untouched();
}

static void more_than_64_ranges_are_e2big(void **state)
{
	struct profil_args args[65];

	(void)state;
	for (unsigned long i = 0; i < 65; i++)
		args[i] = range(TEXT + 128 * (65 - i), TEXT + 128 * (65 - i) + 127,
				0x10000);
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	assert_sets(profil(args, 65, -1, 0), E2BIG);
	assert_sets(profil(args, -1, -1, 0), E2BIG);
	kernel_assert_untouched();
	assert_silent(profil(args, 64, -1, 0));
	assert_int_equal(kernel.histogram.nregions, 64);
}

static void no_ranges_turn_it_off(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64_RANGES);
	assert_silent(profil(0, 0, -1, 0));
	assert_int_equal(kernel.stops, 1);
}

static void flags_but_all_threads_are_einval(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	assert_sets(profil(&args, 1, -1, 2), EINVAL);
	assert_errno(profil_tru64(&args, 1, (void *)-1, 0x100000000UL),
		     EINVAL);
	kernel_assert_untouched();
	assert_silent(profil(&args, 1, -1, PROFIL_FLAGS_ALL_THREADS));
}

static void unreadable_ranges_are_efault(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	assert_sets(profil(0, 1, -1, 0), EFAULT);
	assert_sets(profil(KERNEL_MEMORY, 1, -1, 0), EFAULT);
	kernel_assert_untouched();
}

static void a_range_with_an_impossible_buffer_is_off_alone(void **state)
{
	struct profil_args args[2] = {
		range(TEXT + 4096, TEXT + 4096 + 255, 0x10000),
		range(TEXT, TEXT + 127, 0x10000),
	};

	(void)state;
	args[0].buffer = KERNEL_MEMORY;
	assert_silent(profil(args, 2, -1, 0));
	assert_int_equal(kernel_only_region()->offset, TEXT);
}

static void a_range_longer_than_any_buffer_counts_what_fits(void **state)
{
	/* 2^56 bytes of text at 256 counter bytes each: 2^64. */
	struct profil_args args[3] = {
		range(TEXT + (1UL << 57), UINTPTR_MAX, 0xffffffff),
		range(TEXT + 4096, TEXT + 4096 + (1UL << 56), 1UL << 24),
		range(TEXT, TEXT + 127, 0x10000),
	};

	(void)state;
	assert_silent(profil(args, 3, -1, 0));
	assert_int_equal(kernel.histogram.nregions, 3);
	for (int i = 0; i < 2; i++)
		assert_int_equal(kernel.regions[i].size,
				 KERNEL_USER_END - (uintptr_t)args[i].buffer);
	assert_int_equal(kernel.regions[2].size, 128);
}

static void a_scale_beyond_32_bits_is_einval(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x100000000UL);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	assert_sets(profil(&args, 1, -1, 0), EINVAL);
	kernel_assert_untouched();
}

static void either_form_stops_and_replaces_the_other(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);

	(void)state;
	assert_silent(profil(counters, 64, TEXT, 0x8000));
	assert_silent(profil(&args, 1, -1, 0));
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64_RANGES);
	assert_silent(profil(0, 0, 0, 0));
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
	assert_silent(profil(&args, 1, -1, 0));
	assert_silent(profil(counters, 64, TEXT, 0x8000));
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64);
}

/* Threads. */

static void the_other_form_in_a_second_thread_is_for_that_thread(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);

	(void)state;
	assert_silent(profil(counters, 64, TEXT, 0x8000));
	kernel.beside = true;
	assert_silent(profil(&args, 1, -1, 0));
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64);
	assert_int_equal(kernel.own.tag, PROFIL_DIALECT_TRU64_RANGES);
	assert_int_equal(kernel.own_histograms, 1);
	assert_int_equal(kernel.histograms, 1);
}

static void the_first_form_in_a_second_thread_likewise(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);

	(void)state;
	assert_silent(profil(&args, 1, -1, 0));
	kernel.beside = true;
	assert_silent(profil(counters, 64, TEXT, 0x8000));
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64_RANGES);
	assert_int_equal(kernel.own.tag, PROFIL_DIALECT_TRU64);
}

static void the_same_form_in_a_second_thread_is_for_all(void **state)
{
	(void)state;
	kernel.beside = true;
	assert_silent(profil(counters, 64, TEXT, 0x8000));
	assert_silent(profil(counters, 64, TEXT, 0x4000));
	assert_int_equal(kernel.histograms, 2);
	assert_int_equal(kernel.own_histograms, 0);
	/* And so is a form beside another system's. */
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_IRIX);
	assert_silent(profil(counters, 64, TEXT, 0x8000));
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64);
	assert_int_equal(kernel.own_histograms, 0);
}

static void a_thread_of_its_own_is_switched_and_stopped_alone(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	kernel.beside = true;
	assert_silent(profil(&args, 1, -1, 0));
	assert_silent(profil(counters, 64, TEXT, 0x8000));
	assert_int_equal(kernel.own.tag, PROFIL_DIALECT_TRU64);
	assert_silent(profil(0, 0, 0, 0));
	assert_int_equal(kernel.own_stops, 1);
	kernel_assert_untouched();
	assert_silent(profil(0, 0, 0, 0));
	assert_int_equal(kernel.own_stops, 1);
	assert_int_equal(kernel.stops, 1);
}

static void a_stop_in_a_second_thread_stops_the_other_form(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64_RANGES);
	kernel.beside = true;
	assert_silent(profil(0, 0, 0, 0));
	assert_int_equal(kernel.stops, 1);
	assert_int_equal(kernel.own_stops, 0);
}

static void the_initial_thread_switches_the_process(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	assert_silent(profil(&args, 1, -1, 0));
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64_RANGES);
	assert_int_equal(kernel.own_histograms, 0);
	/* But if it is the child of a thread with its own, that. */
	kernel.own.state = PROFIL_STATE_ON;
	assert_silent(profil(counters, 64, TEXT, 0x8000));
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64_RANGES);
	assert_int_equal(kernel.own.tag, PROFIL_DIALECT_TRU64);
}

static void all_threads_are_the_process_and_the_caller(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	kernel.beside = true;
	kernel.own.state = PROFIL_STATE_ON;
	assert_silent(profil(&args, 1, -1, PROFIL_FLAGS_ALL_THREADS));
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_TRU64_RANGES);
	assert_int_equal(kernel.own_stops, 1);
	assert_int_equal(kernel.own_histograms, 0);
}

static void all_threads_that_are_refused_leave_the_caller_its_own(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_TRU64);
	kernel.own.state = PROFIL_STATE_ON;
	kernel.start_error = EPERM;
	assert_sets(profil(&args, 1, -1, PROFIL_FLAGS_ALL_THREADS), EPERM);
	assert_int_equal(kernel.own.state, PROFIL_STATE_ON);
	kernel_assert_untouched();
}

/* The man page's structure. */

static struct profil_args5 range5(unsigned long low, unsigned long high,
				  unsigned long offset, unsigned int scale)
{
	return (struct profil_args5){ wide, (void *)high, (void *)low,
				      (void *)offset, scale };
}

static void with_5_fields_the_offset_has_the_first_counter(void **state)
{
	struct profil_args5 args = range5(TEXT + 64, TEXT + 127, TEXT, 0x10000);

	(void)state;
	assert_success(profil_tru64_args5(&args, 1, RANGES, 0));
	assert_int_equal(kernel_only_region()->offset, TEXT);
	assert_int_equal(kernel_only_region()->pc_start, TEXT + 64);
	assert_int_equal(kernel_only_region()->pc_end, TEXT + 128);
	assert_int_equal(kernel_only_region()->size, 128);
	assert_int_equal(kernel_only_region()->width, 4);
}

static void with_5_fields_nothing_below_the_offset_is_counted(void **state)
{
	struct profil_args5 args = range5(TEXT, TEXT + 127, TEXT + 64, 0x10000);

	(void)state;
	assert_success(profil_tru64_args5(&args, 1, RANGES, 0));
	assert_int_equal(kernel_only_region()->offset, TEXT + 64);
	assert_int_equal(kernel_only_region()->pc_start, 0);
	assert_int_equal(kernel_only_region()->size, 64);
	args.offset = (void *)(TEXT + 128);
	args.scale = 0x8000;
	assert_success(profil_tru64_args5(&args, 1, RANGES, 0));
	assert_int_equal(kernel_only_region()->size, 0);
}

static void with_5_fields_the_order_is_checked_too(void **state)
{
	struct profil_args5 args[2] = {
		range5(TEXT + 128, TEXT + 255, TEXT + 128, 0x10000),
		range5(TEXT, TEXT + 128, TEXT, 0x10000),
	};

	(void)state;
	assert_errno(profil_tru64_args5(args, 2, RANGES, 0), EINVAL);
	args[1].highpc = (void *)(TEXT + 127);
	assert_success(profil_tru64_args5(args, 2, RANGES, 0));
	assert_int_equal(kernel.histogram.nregions, 2);
}

static void with_5_fields_a_buffer_is_a_buffer(void **state)
{
	(void)state;
	assert_success(profil_tru64_args5(counters, 64, (void *)TEXT, 0x8000));
	assert_int_equal(kernel_only_region()->width, 2);
}

/* getsysinfo() */

static void getsysinfo_tells_the_clock_rate(void **state)
{
	int ticks[2] = { 0, 77 };

	(void)state;
	errno = ERANGE;
	assert_int_equal(getsysinfo(GSI_CLK_TCK, ticks, sizeof(int), 0, 0), 1);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(ticks[0], 100);
	kernel.features.period_ns[PROFIL_RATE_CLOCK] = 3333334;
	assert_int_equal(getsysinfo(GSI_CLK_TCK, ticks, 8, 0, 0, 0), 1);
	assert_int_equal(ticks[0], 300);
	assert_int_equal(ticks[1], 77);
}

static void getsysinfo_of_anything_else_is_einval(void **state)
{
	int ticks;

	(void)state;
	assert_errno(getsysinfo(GSI_CLK_TCK + 1, &ticks, 4, 0, 0), EINVAL);
	assert_errno(getsysinfo(0, &ticks, 4, 0, 0), EINVAL);
}

static void getsysinfo_into_too_little_is_einval(void **state)
{
	int ticks;

	(void)state;
	assert_errno(getsysinfo(GSI_CLK_TCK, &ticks, 3, 0, 0), EINVAL);
}

static void getsysinfo_into_bad_memory_is_efault(void **state)
{
	(void)state;
	assert_errno(getsysinfo(GSI_CLK_TCK, KERNEL_MEMORY, 4, 0, 0), EFAULT);
	assert_errno(getsysinfo(GSI_CLK_TCK, 0, 4, 0, 0), EFAULT);
}

/* And what ran runs on. */
static void a_start_that_is_refused_says_why(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 0);
	assert_refusals(assert_sets, profil(counters, 64, TEXT, 0x8000));
	assert_refusals(assert_sets, profil(&args, 1, -1, 0));
}

static void without_the_module_it_is_enodev(void **state)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x10000);
	int ticks;

	(void)state;
	kernel.open_error = ENOENT;
	assert_sets(profil(counters, 64, TEXT, 0x8000), ENODEV);
	assert_sets(profil(&args, 1, -1, 0), ENODEV);
	assert_errno(getsysinfo(GSI_CLK_TCK, &ticks, 4, 0, 0), ENODEV);
}

#define test(name) cmocka_unit_test_setup_teardown(name, kernel_boot, kernel_halt)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		test(a_buffer_follows_the_row),
		test(an_offset_may_be_a_pointer_or_a_function),
		test(profil_can_be_called_through_a_pointer),
		test(scale_0_or_1_turns_a_buffer_off),
		test(scale_2_counts_all_in_the_first),
		test(a_buffer_takes_any_scale),
		test(an_impossible_buffer_is_off),
		test(ranges_follow_the_row),
		test(the_last_pc_is_in_the_last_counter),
		test(minus_1_may_have_any_type),
		test(a_range_with_scale_2_is_a_clock),
		test(ranges_with_scale_0_or_1_are_off),
		test(ranges_that_do_not_decrease_are_einval),
		test(ranges_that_overlap_are_einval),
		test(a_range_that_ends_before_it_begins_is_einval),
		test(more_than_64_ranges_are_e2big),
		test(no_ranges_turn_it_off),
		test(flags_but_all_threads_are_einval),
		test(unreadable_ranges_are_efault),
		test(a_range_with_an_impossible_buffer_is_off_alone),
		test(a_range_longer_than_any_buffer_counts_what_fits),
		test(a_scale_beyond_32_bits_is_einval),
		test(either_form_stops_and_replaces_the_other),
		test(the_other_form_in_a_second_thread_is_for_that_thread),
		test(the_first_form_in_a_second_thread_likewise),
		test(the_same_form_in_a_second_thread_is_for_all),
		test(a_thread_of_its_own_is_switched_and_stopped_alone),
		test(a_stop_in_a_second_thread_stops_the_other_form),
		test(the_initial_thread_switches_the_process),
		test(all_threads_are_the_process_and_the_caller),
		test(all_threads_that_are_refused_leave_the_caller_its_own),
		test(with_5_fields_the_offset_has_the_first_counter),
		test(with_5_fields_nothing_below_the_offset_is_counted),
		test(with_5_fields_the_order_is_checked_too),
		test(with_5_fields_a_buffer_is_a_buffer),
		test(getsysinfo_tells_the_clock_rate),
		test(getsysinfo_of_anything_else_is_einval),
		test(getsysinfo_into_too_little_is_einval),
		test(getsysinfo_into_bad_memory_is_efault),
		test(a_start_that_is_refused_says_why),
		test(without_the_module_it_is_enodev),
	};

	return cmocka_run_group_tests_name("tru64", tests, NULL, NULL);
}

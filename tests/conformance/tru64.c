// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tru64 UNIX: profil(2) as its man page has it, and getsysinfo(2). */
#define LIBPROFIL_TRU64_ARGS5
#include <sys/types.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static unsigned short buf[65536 + 8];
static unsigned int a[64], b[64];
static struct profil_args many[65];

/* Two ranges: the higher one comes first. */
static struct profil_args two[] = {
	{ b, (void *)(FAR_TEXT + 255), (void *)FAR_TEXT, (void *)FAR_TEXT, 0x10000 },
	{ a, (void *)(TEXT + 255), (void *)TEXT, (void *)TEXT, 0x10000 },
};

static void extended(struct profil_args *args, int n)
{
	profil(args, n, -1, 0);
}

/* --- one range -------------------------------------------------------------- */

TEST(tru64_profil_returns_nothing)
{
	void (*call)(unsigned short *, unsigned int, void *, unsigned int) = profil;

	EXPECT_QUIET(call(buf, sizeof(buf), (void *)TEXT, 0x10000));
	EXPECT_HIT(buf, TEXT + 2, 1);
	EXPECT_QUIET(profil(buf, sizeof(buf), (void *)TEXT, 0x10000));
	EXPECT_HIT(buf, TEXT + 2, 1);
}

TEST(tru64_profil_size_is_in_bytes)
{
	profil(buf, 16, (void *)TEXT, 0x10000);
	EXPECT_HIT(buf, TEXT + 15, 7);
	EXPECT_HIT(buf, TEXT + 16, NOWHERE);
}

TEST(tru64_profil_offset_0_says_that_text_begins_at_0)
{
	profil(buf, sizeof(buf), (void *)0, 0x20);
	EXPECT_HIT(buf, TEXT, TEXT * 0x20 / 65536 / 2);
}

TEST(tru64_profil_pc_is_examined_at_regular_intervals)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spend(TEXT, 200);
	EXPECT_NEAR(buf[0], 20, 2);
	spend(TEXT + 2, 200);
	EXPECT_NEAR(buf[1], 20, 2);
	idle(100);
	EXPECT_EQ(SUM(buf), profile_ticks());
}

TEST(tru64_getsysinfo_gsi_clk_tck_is_the_sampling_rate)
{
	int hz = 0;

	EXPECT_EQ(getsysinfo(GSI_CLK_TCK, (caddr_t)&hz, sizeof(hz), NULL, NULL), 1);
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spend(TEXT, 400);
	EXPECT_NEAR(buf[0], hz * 400 / 1000, 2);
}

TEST(tru64_profil_offset_is_subtracted)
{
	profil(buf, sizeof(buf), (void *)(TEXT + 100), 0x10000);
	EXPECT_HIT(buf, TEXT + 100, 0);
	EXPECT_HIT(buf, TEXT + 110, 5);
	EXPECT_HIT(buf, TEXT + 99, NOWHERE);
}

TEST(tru64_profil_distance_is_multiplied_by_scale)
{
	static const struct { unsigned int scale, d; int index; } rows[] = {
		{ 0xffff, 2, 0 }, { 0xffff, 3, 1 }, { 0x8000, 0x12, 4 },
		{ 0x4000, 0x17, 2 }, { 0xaaab, 3, 1 }, { 0x5555, 0x236, 94 },
		{ 0xffff, 0x20000, 65535 }, { 3, 0x20000, 3 },
		{ 0x18000, 0x10, 12 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		profil(buf, sizeof(buf), (void *)TEXT, rows[i].scale);
		EXPECT_HIT(buf, TEXT + rows[i].d, rows[i].index);
	}
}

TEST(tru64_profil_result_must_be_less_than_size)
{
	profil(buf, 8, (void *)TEXT, 0x8000);
	EXPECT_HIT(buf, TEXT + 15, 3);
	EXPECT_HIT(buf, TEXT + 16, NOWHERE);
	EXPECT_HIT(buf, FAR_TEXT, NOWHERE);
}

TEST(tru64_profil_each_tick_increments)
{
	buf[4] = 10;
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spin(TEXT + 8, 3);
	EXPECT_EQ(buf[4], 13);
}

TEST(tru64_profil_counters_stay_at_65535)
{
	buf[0] = 65534;
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spin(TEXT, 3);
	EXPECT_EQ(buf[0], 65535);
	EXPECT_EQ(buf[1], 0);
}

TEST(tru64_profil_scale_10000_is_2_bytes_per_short)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	EXPECT_HIT(buf, TEXT + 1, 0);
	EXPECT_HIT(buf, TEXT + 2, 1);
	EXPECT_HIT(buf, TEXT + 200, 100);
}

TEST(tru64_profil_scale_8000_is_4_bytes_per_short)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x8000);
	EXPECT_HIT(buf, TEXT + 3, 0);
	EXPECT_HIT(buf, TEXT + 4, 1);
	EXPECT_HIT(buf, TEXT + 200, 50);
}

TEST(tru64_profil_scale_2_is_a_clock_in_the_first_short)
{
	profil(buf, 4, (void *)TEXT, 2);
	EXPECT_HIT(buf, TEXT, 0);
	EXPECT_HIT(buf, TEXT + 0x20000, 0);
	EXPECT_HIT(buf, FAR_TEXT, 0);
	EXPECT_EQ(PROFIL_SCALE_TOTAL, 2);
}

static void is_turned_off(unsigned int scale)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spin(TEXT, 1);
	EXPECT_QUIET(profil(buf, sizeof(buf), (void *)TEXT, scale));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(buf), 1);
}

TEST(tru64_profil_scale_0_turns_off)
{
	is_turned_off(PROFIL_SCALE_STOP);
}

TEST(tru64_profil_scale_1_turns_off)
{
	is_turned_off(PROFIL_SCALE_STOP_1);
}

ROLE(run_unprofiled)
{
	EXPECT(!profile_is_on());
	spend(argument, IDLE_MS);
	EXPECT_EQ(profile_ticks(), 0);
	return 0;
}

TEST(tru64_profil_exec_turns_off)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	EXPECT(in_program("run_unprofiled", TEXT));
	become("run_unprofiled", TEXT);
}

static void child_counts_on(void)
{
	spin(TEXT, 2);
	EXPECT_EQ(buf[0], 3);
}

TEST(tru64_profil_stays_on_in_fork_child)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spin(TEXT, 1);
	EXPECT(in_child(child_counts_on));
}

TEST(tru64_profil_stays_on_in_fork_parent)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spin(TEXT, 1);
	EXPECT(in_child(child_counts_on));
	spin(TEXT, 1);
	EXPECT_EQ(buf[0], 2);
}

TEST(tru64_profil_memory_fault_turns_off)
{
	unsigned short *lost = pages(2 * PAGE);

	profil(lost, 2 * PAGE, (void *)TEXT, 0x10000);
	spin(TEXT, 1);
	unmap((char *)lost + PAGE, PAGE);
	spin_until_off(TEXT + PAGE);
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(lost[0], 1);
}

TEST(tru64_profil_takes_any_buffer_without_complaint)
{
	EXPECT_QUIET(profil(KERNEL_ADDRESS, 64, (void *)TEXT, 0x10000));
	spend(TEXT, IDLE_MS);
	EXPECT_QUIET(profil(NOT_MAPPED, 64, (void *)TEXT, 0x10000));
	spin_until_off(TEXT);
}

TEST(tru64_profil_threads_are_sampled_independently)
{
	thread_start();
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spin(TEXT, 1);
	thread_spin(TEXT + 4, 2);
	EXPECT_EQ(buf[0], 1);
	EXPECT_EQ(buf[2], 2);
}

TEST(tru64_profil_counts_are_the_sum_of_all_threads)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spend_in_threads(TEXT, 60, 3);
	profil(0, 0, 0, 0);
	EXPECT_NEAR(buf[0], 18, 3);
	EXPECT_EQ(SUM(buf), profile_ticks());
}

/* --- several ranges --------------------------------------------------------- */

TEST(tru64_extended_profiles_disjoint_ranges)
{
	EXPECT_QUIET(profil(two, 2, -1, 0));
	EXPECT_HIT(a, TEXT + 8, 2);
	EXPECT_HIT(b, FAR_TEXT + 12, 3);
	EXPECT_HIT(a, TEXT + PAGE, NOWHERE);
	EXPECT_EQ(SUM(b), 0);
}

TEST(tru64_extended_form_is_chosen_by_offset_minus_1)
{
	profil((unsigned short *)two, 2, (void *)-1, 0);
	EXPECT_HIT(a, TEXT + 4, 1);
	profil(buf, sizeof(buf), (void *)(TEXT - 1), 0x10000);
	EXPECT_HIT(buf, TEXT + 4, 2);
}

TEST(tru64_extended_size_is_the_number_of_structs)
{
	extended(two, 1);
	EXPECT_HIT(b, FAR_TEXT, 0);
	EXPECT_HIT(a, TEXT, NOWHERE);
	extended(two, 2);
	EXPECT_HIT(a, TEXT, 0);
}

static void fill_many(void)
{
	int i;

	for (i = 0; i < 65; i++) {
		unsigned long low = TEXT + PAGE - 32 * (unsigned long)i;

		many[i].buffer = a;
		many[i].highpc = (void *)(low + 31);
		many[i].lowpc = (void *)low;
		many[i].offset = (void *)low;
		many[i].scale = 0x10000;
	}
}

TEST(tru64_extended_takes_64_ranges)
{
	fill_many();
	many[63].buffer = b;
	EXPECT_QUIET(extended(many, 64));
	EXPECT_EQ(PROFIL_MAX, 64);
	EXPECT_HIT(b, TEXT + PAGE - 32 * 63 + 4, 1);
	EXPECT_HIT(a, TEXT + PAGE + 8, 2);
}

/* profil() returns nothing: errno is all there is to look at. */
#define EXPECT_REFUSED(call, value) do {				\
	errno = 0;							\
	call;								\
	EXPECT_EQ(errno, value);					\
	EXPECT(!profile_is_on());					\
} while (0)

TEST(tru64_extended_more_than_64_ranges_are_e2big)
{
	fill_many();
	EXPECT_REFUSED(extended(many, 65), E2BIG);
	EXPECT_REFUSED(extended(many, -1), E2BIG);
}

TEST(tru64_extended_flags_must_be_0)
{
	EXPECT_REFUSED(profil(two, 2, -1, 2), EINVAL);
	EXPECT_REFUSED(profil(two, 2, -1, 0x80000000), EINVAL);
	EXPECT_QUIET(profil(two, 2, -1, PROFIL_FLAGS_ALL_THREADS));
	EXPECT(profile_is_on());
}

TEST(tru64_extended_unreadable_structs_are_efault)
{
	EXPECT_REFUSED(extended(NOT_MAPPED, 1), EFAULT);
	EXPECT_REFUSED(extended(KERNEL_ADDRESS, 1), EFAULT);
}

TEST(tru64_extended_members_are_like_profils_arguments)
{
	struct profil_args one = { a, (void *)(TEXT + 255), (void *)TEXT,
				   (void *)TEXT, 0xc000 };

	extended(&one, 1);
	EXPECT_HIT(a, TEXT + 5, 0);
	EXPECT_HIT(a, TEXT + 6, 1);
	EXPECT_HIT(a, TEXT + 16, 3);
	one.scale = 2;
	extended(&one, 1);
	EXPECT_HIT(a, TEXT + 255, 0);
	one.scale = 1;
	extended(&one, 1);
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(a), 0);
}

TEST(tru64_extended_counters_are_unsigned_int)
{
	a[1] = 0x1ffff;
	a[2] = 0xfffffffe;
	extended(two, 2);
	spin(TEXT + 4, 1);
	spin(TEXT + 8, 3);
	EXPECT_EQ(a[1], 0x20000);
	EXPECT_EQ(a[2], 0xffffffff);
	EXPECT_EQ(a[3], 0);
}

TEST(tru64_extended_lowpc_is_the_first_pc)
{
	struct profil_args one = { a, (void *)(TEXT + 63), (void *)(TEXT + 16),
				   (void *)TEXT, 0x10000 };

	extended(&one, 1);
	EXPECT_HIT(a, TEXT + 15, NOWHERE);
	EXPECT_HIT(a, TEXT + 16, 4);
}

TEST(tru64_extended_highpc_is_the_last_pc)
{
	struct profil_args one = { a, (void *)(TEXT + 63), (void *)TEXT,
				   (void *)TEXT, 0x10000 };

	extended(&one, 1);
	EXPECT_HIT(a, TEXT + 63, 15);
	EXPECT_HIT(a, TEXT + 64, NOWHERE);
}

TEST(tru64_extended_offset_is_of_the_first_counter)
{
	struct profil_args one = { a, (void *)(TEXT + 63), (void *)(TEXT + 16),
				   (void *)(TEXT + 8), 0x10000 };

	extended(&one, 1);
	EXPECT_HIT(a, TEXT + 16, 2);
	EXPECT_HIT(a, TEXT + 63, 13);
}

TEST(tru64_extended_scale_is_bytes_of_text_per_byte_of_buffer)
{
	struct profil_args one = { a, (void *)(TEXT + 255), (void *)TEXT,
				   (void *)TEXT, 0x10000 };

	extended(&one, 1);
	EXPECT_HIT(a, TEXT + 255, 63);
	one.scale = 0x4000;
	extended(&one, 1);
	EXPECT_HIT(a, TEXT + 255, 15);
}

TEST(tru64_extended_struct_profil_args_has_five_members)
{
	struct profil_args args;

	EXPECT_EQ(offsetof(struct profil_args, buffer), 0);
	EXPECT_EQ(offsetof(struct profil_args, highpc), 8);
	EXPECT_EQ(offsetof(struct profil_args, lowpc), 16);
	EXPECT_EQ(offsetof(struct profil_args, offset), 24);
	EXPECT_EQ(offsetof(struct profil_args, scale), 32);
	EXPECT_EQ(sizeof(args), 40);
	EXPECT_EQ(sizeof(args.scale), sizeof(unsigned int));
	EXPECT_EQ(sizeof(*args.buffer), sizeof(unsigned int));
}

TEST(tru64_extended_padding_of_the_struct_has_no_meaning)
{
	struct profil_args one;

	memset(&one, 0xee, sizeof(one));
	one.buffer = a;
	one.highpc = (void *)(TEXT + 63);
	one.lowpc = one.offset = (void *)TEXT;
	one.scale = 0x10000;
	EXPECT_QUIET(extended(&one, 1));
	EXPECT_HIT(a, TEXT + 8, 2);
}

TEST(tru64_extended_overlapping_ranges_are_einval)
{
	struct profil_args overlap[] = {
		{ b, (void *)(TEXT + 127), (void *)(TEXT + 64), (void *)TEXT, 0x10000 },
		{ a, (void *)(TEXT + 64), (void *)TEXT, (void *)TEXT, 0x10000 },
	};

	EXPECT_REFUSED(extended(overlap, 2), EINVAL);
	overlap[1].highpc = (void *)(TEXT + 63);
	EXPECT_QUIET(extended(overlap, 2));
	EXPECT(profile_is_on());
}

TEST(tru64_extended_increasing_lowpc_is_einval)
{
	struct profil_args wrong[] = { two[1], two[0] };

	EXPECT_REFUSED(extended(wrong, 2), EINVAL);
	EXPECT_REFUSED(extended((struct profil_args[]){ two[0], two[0] }, 2), EINVAL);
}

TEST(tru64_extended_memory_fault_turns_that_range_off)
{
	unsigned int *lost = pages(PAGE);
	struct profil_args args[] = { two[0], two[1] };

	args[0].buffer = lost;
	extended(args, 2);
	spin(FAR_TEXT, 1);
	unmap(lost, PAGE);
	spend(FAR_TEXT, IDLE_MS);
	EXPECT_HIT(a, TEXT, 0);
}

TEST(tru64_extended_takes_any_buffer_without_complaint)
{
	struct profil_args args[] = { two[0], two[1] };

	args[0].buffer = KERNEL_ADDRESS;
	EXPECT_QUIET(extended(args, 2));
	spend(FAR_TEXT, IDLE_MS);
	EXPECT_HIT(a, TEXT, 0);
}

TEST(tru64_profil_of_zeroes_stops_the_traditional_form)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spin(TEXT, 1);
	EXPECT_QUIET(profil(0, 0, 0, 0));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(buf), 1);
}

TEST(tru64_profil_of_zeroes_stops_the_extended_form)
{
	extended(two, 2);
	spin(TEXT, 1);
	EXPECT_QUIET(profil(0, 0, 0, 0));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(a), 1);
}

TEST(tru64_traditional_call_stops_the_extended_form)
{
	extended(two, 2);
	spin(TEXT, 1);
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spin(TEXT, 2);
	spend(FAR_TEXT, 20);
	EXPECT_EQ(SUM(a), 1);
	EXPECT_EQ(SUM(b), 0);
	EXPECT_EQ(SUM(buf), 2);
}

TEST(tru64_extended_call_stops_the_traditional_form)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spin(TEXT, 1);
	extended(two, 2);
	spin(TEXT, 2);
	EXPECT_EQ(SUM(buf), 1);
	EXPECT_EQ(SUM(a), 2);
}

TEST(tru64_profil_switches_between_forms_at_any_call)
{
	int i;

	for (i = 1; i <= 3; i++) {
		profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
		spin(TEXT, 1);
		extended(two, 2);
		spin(TEXT, 1);
		EXPECT_EQ(SUM(buf), i);
		EXPECT_EQ(SUM(a), i);
	}
}

static void child_counts_on_in_ranges(void)
{
	spin(FAR_TEXT, 2);
	EXPECT_EQ(b[0], 3);
}

/* --- threads ---------------------------------------------------------------- */

/* Waits for a thread that does fn. */
static void beside(void *(*fn)(void *))
{
	pthread_t thread;

	EXPECT_EQ(pthread_create(&thread, NULL, fn, NULL), 0);
	pthread_join(thread, NULL);
}

static void *use_ranges(void *unused)
{
	EXPECT_QUIET(profil(two, 2, -1, 0));
	spend(TEXT + 8, 200);
	EXPECT_QUIET(profil(0, 0, 0, 0));
	return unused;
}

TEST(tru64_threads_use_different_forms_at_the_same_time)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spend(TEXT, 100);
	beside(use_ranges);
	spend(TEXT, 100);
	profil(0, 0, 0, 0);
	EXPECT_NEAR(a[2], 20, 2);
	EXPECT_NEAR(buf[0], 20, 4);
	EXPECT_EQ(buf[4], 0);
	EXPECT_EQ(SUM(buf), profile_ticks());
}

static void *use_ranges_in_turn(void *unused)
{
	profil(two, 2, -1, 0);
	spend(TEXT + 8, 100);
	/* Its own form may change, and what it stops is its own. */
	profil(buf, sizeof(buf), (void *)FAR_TEXT, 0x10000);
	spend(FAR_TEXT, 100);
	profil(0, 0, 0, 0);
	spend(TEXT + 16, 100);
	return unused;
}

TEST(tru64_thread_with_a_form_of_its_own_stops_that)
{
	static unsigned short all[64];

	profil(all, sizeof(all), (void *)TEXT, 0x10000);
	beside(use_ranges_in_turn);
	EXPECT(profile_is_on());
	EXPECT_NEAR(a[2], 10, 2);
	EXPECT_NEAR(buf[0], 10, 2);
	EXPECT_NEAR(all[8], 10, 2);
	EXPECT_EQ(all[4], 0);
}

static void *replace(void *unused)
{
	profil(buf, sizeof(buf), (void *)(TEXT + 64), 0x10000);
	return unused;
}

TEST(tru64_same_form_in_another_thread_replaces_the_process_s)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	beside(replace);
	EXPECT_HIT(buf, TEXT + 64, 0);
}

static void *switch_all(void *unused)
{
	profil(two, 2, -1, PROFIL_FLAGS_ALL_THREADS);
	return unused;
}

TEST(tru64_extended_all_threads_switches_the_process)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	beside(switch_all);
	EXPECT_HIT(a, TEXT + 8, 2);
	EXPECT_EQ(SUM(buf), 0);
}

static void child_uses_ranges(void)
{
	unsigned int before = a[2];

	spend(TEXT + 8, 100);
	EXPECT_NEAR(a[2] - before, 10, 2);
	EXPECT_EQ(buf[4], 0);
}

static void *fork_with_ranges(void *unused)
{
	profil(two, 2, -1, 0);
	spend(TEXT + 8, 50);
	EXPECT(in_child(child_uses_ranges));
	return unused;
}

TEST(tru64_form_of_a_thread_stays_on_in_its_fork_child)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	beside(fork_with_ranges);
}

TEST(tru64_extended_stays_on_after_fork)
{
	extended(two, 2);
	spin(FAR_TEXT, 1);
	EXPECT(in_child(child_counts_on_in_ranges));
	spin(FAR_TEXT, 1);
	EXPECT_EQ(b[0], 2);
}

/* --- getsysinfo ------------------------------------------------------------- */

TEST(tru64_getsysinfo_stores_an_int_and_returns_1)
{
	int hz[2] = { 0, -1 };

	EXPECT_EQ(getsysinfo(GSI_CLK_TCK, (caddr_t)hz, sizeof(hz), NULL, NULL), 1);
	EXPECT_EQ(hz[0], sysconf(_SC_CLK_TCK));
	EXPECT_EQ(hz[1], -1);
	EXPECT_EQ(GSI_CLK_TCK, 42);
}

TEST(tru64_getsysinfo_small_buffer_is_einval)
{
	int hz;

	EXPECT_ERRNO(getsysinfo(GSI_CLK_TCK, (caddr_t)&hz, 3, NULL, NULL), EINVAL);
}

TEST(tru64_getsysinfo_bad_buffer_is_efault)
{
	EXPECT_ERRNO(getsysinfo(GSI_CLK_TCK, NOT_MAPPED, 4, NULL, NULL), EFAULT);
	EXPECT_ERRNO(getsysinfo(GSI_CLK_TCK, NULL, 4, NULL, NULL), EFAULT);
}

TEST(tru64_getsysinfo_other_operations_are_einval)
{
	int hz;

	EXPECT_ERRNO(getsysinfo(GSI_CLK_TCK + 1, (caddr_t)&hz, 4, NULL, NULL),
		     EINVAL);
	EXPECT_ERRNO(getsysinfo(0, (caddr_t)&hz, 4, NULL, NULL), EINVAL);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Solaris: profil(2). */
#include <unistd.h>
#include <stddef.h>

#include "harness.h"

static unsigned short buf[65536 + 8];
static unsigned short other[64];

static void stop(void)
{
	profil(0, 0, 0, 0);
}

TEST(solaris_profil_returns_nothing)
{
	void (*call)(unsigned short *, size_t, unsigned long, unsigned int) = profil;

	EXPECT_QUIET(call(buf, sizeof(buf), TEXT, 0xffff));
	EXPECT(profile_is_on());
}

static void other_process(void)
{
	stop();
	spend(TEXT, 60);
}

TEST(solaris_profil_is_of_the_calling_process)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	EXPECT(in_child(other_process));
	EXPECT_EQ(SUM(buf), 0);
	spin(TEXT, 1);
	EXPECT_EQ(SUM(buf), 1);
}

TEST(solaris_profil_counts_cpu_time_only)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	idle(100);
	EXPECT_EQ(profile_ticks(), 0);
	spend(TEXT, 200);
	stop();
	EXPECT_NEAR(buf[0], 20, 2);
}

TEST(solaris_profil_subdivisions_have_equal_size)
{
	int i;

	profil(buf, sizeof(buf), TEXT, 0x1000);
	for (i = 0; i < 4; i++) {
		EXPECT_HIT(buf, TEXT + 32 * i, i);
		EXPECT_HIT(buf, TEXT + 32 * i + 31, i);
	}
}

TEST(solaris_profil_counts_one_per_tick)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 1);
	EXPECT_EQ(buf[0], 1);
	spin(TEXT, 4);
	EXPECT_EQ(buf[0], 5);
	EXPECT_EQ(SUM(buf), 5);
}

TEST(solaris_profil_counts_are_relative_to_time_spent)
{
	int i;

	profil(buf, sizeof(buf), TEXT, 0x8000);
	for (i = 0; i < 4; i++) {
		spend(TEXT, 60);
		spend(TEXT + 64, 20);
	}
	stop();
	EXPECT_NEAR(buf[0], 24, 7);
	EXPECT_NEAR(SUM(buf), 32, 2);
}

TEST(solaris_profil_counters_are_unsigned_short)
{
	profil(buf, 64, TEXT, 0xffff);
	spin(TEXT + 30, 2);
	stop();
	EXPECT_EQ(sizeof(buf[0]), 2);
	EXPECT_EQ(buf[14], 2);
}

TEST(solaris_profil_bufsiz_is_in_bytes)
{
	profil(buf, 16, TEXT, 0x8000);
	EXPECT_HIT(buf, TEXT + 28, 7);
	EXPECT_HIT(buf, TEXT + 32, NOWHERE);
}

TEST(solaris_profil_count_reaches_32767)
{
	buf[3] = 32765;
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT + 12, 2);
	EXPECT_EQ(buf[3], 32767);
}

TEST(solaris_profil_stops_when_a_count_is_at_32767)
{
	buf[3] = 32766;
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spend(TEXT + 12, 60);
	EXPECT_EQ(buf[3], 32767);
	EXPECT(!profile_is_on());
}

TEST(solaris_profil_collects_nothing_after_that_stop)
{
	buf[3] = 32767;
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spend(TEXT + 12, IDLE_MS);
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(buf[3], 32767);
	EXPECT_EQ(buf[0], 0);
}

TEST(solaris_profil_goes_on_after_that_stop_when_called_again)
{
	buf[3] = 32767;
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spend(TEXT + 12, IDLE_MS);
	profil(buf, sizeof(buf), TEXT, 0x8000);
	EXPECT_EQ(buf[3], 32767);
	buf[3] = 0;
	EXPECT_HIT(buf, TEXT, 0);
}

TEST(solaris_profil_offset_is_the_start_of_the_region)
{
	profil(buf, sizeof(buf), TEXT + 6, 0x8000);
	EXPECT_HIT(buf, TEXT + 6, 0);
	EXPECT_HIT(buf, TEXT + 9, 0);
	EXPECT_HIT(buf, TEXT + 10, 1);
}

TEST(solaris_profil_pc_below_offset_is_not_counted)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	EXPECT_HIT(buf, TEXT - 1, NOWHERE);
	EXPECT_HIT(buf, TEXT - 64, NOWHERE);
	profil(buf, sizeof(buf), FAR_TEXT, 0x8000);
	EXPECT_HIT(buf, TEXT, NOWHERE);
}

TEST(solaris_profil_scale_is_a_16_bit_fraction)
{
	profil(buf, sizeof(buf), TEXT, 0xc000);
	EXPECT_HIT(buf, TEXT + 2, 0);
	EXPECT_HIT(buf, TEXT + 3, 1);
	EXPECT_HIT(buf, TEXT + 16, 6);
}

TEST(solaris_profil_halving_scale_doubles_bytes_per_counter)
{
	unsigned int scale, bytes = 4;

	for (scale = 0x8000; scale >= 0x100; scale /= 4, bytes *= 4) {
		profil(buf, sizeof(buf), TEXT, scale);
		EXPECT_HIT(buf, TEXT + 2 * bytes - 1, 1);
		EXPECT_HIT(buf, TEXT + 2 * bytes, 2);
	}
}

TEST(solaris_profil_scale_ffff_maps_2_bytes_to_a_counter)
{
	profil(buf, sizeof(buf), TEXT, 0xffff);
	EXPECT_HIT(buf, TEXT, 0);
	EXPECT_HIT(buf, TEXT + 2, 0);
	EXPECT_HIT(buf, TEXT + 3, 1);
	EXPECT_HIT(buf, TEXT + 4, 1);
	EXPECT_HIT(buf, TEXT + 0x100, 0x7f);
	EXPECT_HIT(buf, TEXT + 0x20000, 65535);
}

TEST(solaris_profil_scale_2_maps_65536_bytes_to_counter_0)
{
	profil(buf, sizeof(buf), TEXT, 2);
	EXPECT_HIT(buf, TEXT, 0);
	EXPECT_HIT(buf, TEXT + 65535, 0);
	EXPECT_HIT(buf, TEXT - 1, NOWHERE);
}

TEST(solaris_profil_scale_2_takes_every_pc_from_offset_on)
{
	profil(buf, 2, TEXT, 2);
	EXPECT_HIT(buf, TEXT + 65536, 0);
	EXPECT_HIT(buf, FAR_TEXT, 0);
}

TEST(solaris_profil_scale_2_writes_no_byte_past_bufsiz)
{
	profil(buf, 1, TEXT, 2);
	spend(TEXT, IDLE_MS);
	stop();
	EXPECT_EQ(SUM(buf), 0);
}

TEST(solaris_profil_scale_4000_maps_8_bytes_to_a_counter)
{
	profil(buf, sizeof(buf), TEXT, 0x4000);
	EXPECT_HIT(buf, TEXT + 7, 0);
	EXPECT_HIT(buf, TEXT + 8, 1);
	EXPECT_HIT(buf, TEXT + 0x17, 2);
	EXPECT_HIT(buf, TEXT + 0x10000, 8192);
}

TEST(solaris_profil_index_is_distance_times_scale)
{
	static const struct { unsigned int scale, d; int index; } rows[] = {
		{ 0xffff, 2, 0 }, { 0xffff, 3, 1 }, { 0x8000, 0x10, 4 },
		{ 0x8000, 0x12, 4 }, { 0xaaab, 3, 1 }, { 0x5555, 0x236, 94 },
		{ 3, 0x20000, 3 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		profil(buf, sizeof(buf), TEXT, rows[i].scale);
		EXPECT_HIT(buf, TEXT + rows[i].d, rows[i].index);
	}
}

TEST(solaris_profil_pc_of_64_bits_is_subtracted_whole)
{
	profil(buf, sizeof(buf), FAR_TEXT, 0x8000);
	EXPECT_HIT(buf, FAR_TEXT + 8, 2);
	profil(buf, sizeof(buf), TEXT, 0x8000);
	EXPECT_HIT(buf, TEXT + 0x100000000UL, NOWHERE);
}

/* RATIO * 0200000L, for a buffer of half the region's size. */
TEST(solaris_profil_scale_is_ratio_times_0200000)
{
	unsigned int region = 2000, bufsiz = 1000;

	profil(buf, bufsiz, TEXT, (unsigned int)(bufsiz * 0200000L / region));
	EXPECT_HIT(buf, TEXT, 0);
	EXPECT_HIT(buf, TEXT + region - 1, bufsiz / 2 - 1);
}

TEST(solaris_profil_bufsiz_is_region_times_ratio)
{
	unsigned int region = 4096, bufsiz = region / 4;

	profil(buf, bufsiz, TEXT, 0x4000);
	EXPECT_HIT(buf, TEXT + region - 1, bufsiz / 2 - 1);
	EXPECT_HIT(buf, TEXT + region, NOWHERE);
}

static void is_turned_off(unsigned int scale)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 1);
	EXPECT_QUIET(profil(buf, sizeof(buf), TEXT, scale));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(buf), 1);
	EXPECT(!profile_is_on());
}

TEST(solaris_profil_scale_0_turns_off)
{
	is_turned_off(0);
}

TEST(solaris_profil_scale_1_turns_off)
{
	is_turned_off(1);
}

TEST(solaris_profil_bufsiz_0_is_ineffective)
{
	EXPECT_QUIET(profil(buf, 0, TEXT, 0x8000));
	spend(TEXT, IDLE_MS);
	EXPECT_QUIET(profil(buf, 0, TEXT, 2));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(buf), 0);
}

TEST(solaris_profil_bufsiz_0_ends_the_profile_before)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 1);
	profil(buf, 0, TEXT, 0x8000);
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(buf), 1);
}

ROLE(run_unprofiled)
{
	EXPECT(!profile_is_on());
	spend(argument, IDLE_MS);
	EXPECT_EQ(profile_ticks(), 0);
	return 0;
}

TEST(solaris_profil_exec_turns_off)
{
	unsigned short *shared = shared_pages(PAGE);

	profil(shared, PAGE, TEXT, 0x8000);
	spin(TEXT, 1);
	EXPECT(in_program("run_unprofiled", TEXT));
	EXPECT_EQ(sum(shared, PAGE / 2, 2), 1);
	become("run_unprofiled", TEXT);
}

static void child_counts_on(void)
{
	spin(TEXT, 2);
	EXPECT_EQ(buf[0], 3);
}

TEST(solaris_profil_stays_on_in_fork_child)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 1);
	EXPECT(in_child(child_counts_on));
}

TEST(solaris_profil_stays_on_in_fork_parent)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 1);
	EXPECT(in_child(child_counts_on));
	spin(TEXT, 3);
	EXPECT_EQ(buf[0], 4);
}

static void child_stops(void)
{
	stop();
}

TEST(solaris_profil_fork_child_has_a_profile_of_its_own)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	EXPECT(in_child(child_stops));
	spin(TEXT, 2);
	EXPECT_EQ(buf[0], 2);
}

TEST(solaris_profil_memory_fault_turns_off)
{
	unsigned short *two = pages(2 * PAGE);

	profil(two, 2 * PAGE, TEXT, 0x8000);
	spin(TEXT, 1);
	unmap((char *)two + PAGE, PAGE);
	spin_until_off(TEXT + 2 * PAGE);
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(two[0], 1);
}

TEST(solaris_profil_buffer_made_read_only_is_a_memory_fault)
{
	unsigned short *one = pages(PAGE);

	profil(one, PAGE, TEXT, 0x8000);
	spin(TEXT, 1);
	protect(one, PAGE);
	spin_until_off(TEXT);
	EXPECT_EQ(one[0], 1);
}

TEST(solaris_profil_bad_buffer_is_found_at_the_tick)
{
	EXPECT_QUIET(profil((unsigned short *)NOT_MAPPED, 64, TEXT, 0x8000));
	EXPECT(profile_is_on());
	spin_until_off(TEXT);
}

TEST(solaris_profil_takes_any_buffer_without_complaint)
{
	EXPECT_QUIET(profil((unsigned short *)KERNEL_ADDRESS, 64, TEXT, 0x8000));
	spend(TEXT, IDLE_MS);
	EXPECT_QUIET(profil((unsigned short *)-2L, 64, TEXT, 0x8000));
	spend(TEXT, IDLE_MS);
}

TEST(solaris_profil_turns_off_even_if_the_new_buffer_is_bad)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 1);
	profil((unsigned short *)KERNEL_ADDRESS, 64, TEXT, 0x8000);
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(buf), 1);
}

TEST(solaris_profil_counts_threads_created_before)
{
	thread_start();
	profil(buf, sizeof(buf), TEXT, 0x8000);
	thread_spin(TEXT + 4, 2);
	EXPECT_EQ(buf[1], 2);
}

TEST(solaris_profil_counts_threads_created_after)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	thread_start();
	thread_spin(TEXT + 4, 2);
	spin(TEXT, 1);
	EXPECT_EQ(buf[1], 2);
	EXPECT_EQ(buf[0], 1);
}

TEST(solaris_profil_threads_share_one_buffer)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spend_in_threads(TEXT, 60, 3);
	stop();
	EXPECT_NEAR(buf[0], 18, 3);
	EXPECT_EQ(SUM(buf), profile_ticks());
}

TEST(solaris_profil_is_turned_on_and_off_while_threads_run)
{
	int i;

	thread_start();
	for (i = 1; i <= 3; i++) {
		profil(buf, sizeof(buf), TEXT, 0x8000);
		thread_spin(TEXT, 1);
		profil(0, 0, 0, 0);
		spend_in_threads(TEXT, 20, 1);
		EXPECT_EQ(SUM(buf), i);
	}
}

TEST(solaris_profil_new_call_replaces)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 1);
	profil(other, sizeof(other), TEXT, 0x8000);
	spin(TEXT, 2);
	EXPECT_EQ(buf[0], 1);
	EXPECT_EQ(other[0], 2);
}

TEST(solaris_profil_scale_above_ffff_is_used_as_it_is)
{
	EXPECT_QUIET(profil(buf, sizeof(buf), TEXT, 0x10000));
	EXPECT_HIT(buf, TEXT + 2, 1);
	EXPECT_QUIET(profil(buf, sizeof(buf), TEXT, 0x18000));
	EXPECT_HIT(buf, TEXT + 0x10, 12);
	EXPECT_QUIET(profil(buf, sizeof(buf), TEXT, 0x20000));
	EXPECT_HIT(buf, TEXT + 1, 1);
}

TEST(solaris_profil_largest_scale_is_used_with_all_its_bits)
{
	EXPECT_QUIET(profil(buf, sizeof(buf), TEXT, 0xffffffff));
	EXPECT_HIT(buf, TEXT + 1, 32767);
	EXPECT_HIT(buf, TEXT + 2, 65535);
	EXPECT_HIT(buf, TEXT + 3, NOWHERE);
}

TEST(solaris_profil_null_buffer_is_not_off_before_a_tick)
{
	EXPECT_QUIET(profil(0, 64, TEXT, 0x8000));
	EXPECT(profile_is_on());
	spin_until_off(TEXT);
}

TEST(solaris_profil_odd_bufsiz_writes_no_byte_past_it)
{
	unsigned char *bytes = pages(64);

	profil((unsigned short *)bytes, 5, TEXT, 0x8000);
	spin(TEXT + 4, 1);
	spend(TEXT + 8, IDLE_MS);
	stop();
	EXPECT_EQ(bytes[2], 1);
	EXPECT_EQ(sum(bytes, 64, 1), 1);
}

TEST(solaris_profil_buffer_may_be_unaligned)
{
	unsigned char *bytes = pages(64);

	bytes[3] = 0xff;
	profil((unsigned short *)(bytes + 1), 32, TEXT, 0x8000);
	spin(TEXT + 4, 1);
	stop();
	EXPECT_EQ(bytes[3], 0);
	EXPECT_EQ(bytes[4], 1);
}

TEST(solaris_profil_does_not_clear_the_buffer)
{
	buf[0] = 100;
	buf[9] = 9;
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 1);
	EXPECT_EQ(buf[0], 101);
	EXPECT_EQ(buf[9], 9);
}

TEST(solaris_profil_charges_system_time_to_the_return_address)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spend_in_kernel(TEXT + 64, 200);
	stop();
	EXPECT_NEAR(SUM(buf), 20, 2);
	EXPECT(buf[16] >= 18);
}

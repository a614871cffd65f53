// SPDX-License-Identifier: LGPL-2.1-or-later
/* Solaris: profil(2). */
#include <unistd.h>
#include <stddef.h>

#define STARTS(call)	CHECK_QUIET(call)
#include "ticks.h"

#define SYSTEM	solaris
#define PROFIL	profil
#include "every_profil.h"

static void stop(void)
{
	profil(0, 0, 0, 0);
}

TEST_TYPE(solaris_profil_returns_nothing,
	void (*call)(unsigned short *, size_t, unsigned long, unsigned int), profil,
	CHECK_QUIET, buf, sizeof(buf), TEXT, 0xffff)

static void other_process(void)
{
	stop();
	spend(TEXT, 60);
}

TEST(solaris_profil_is_of_the_calling_process)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	in_child(other_process);
	CHECK_EQ(SUM(buf), 0);
	spin(TEXT, 1);
	CHECK_EQ(SUM(buf), 1);
}

TEST_INDEXES(solaris_profil_subdivisions_have_equal_size, buf,
	profil(buf, sizeof(buf), TEXT, scale),
	{ 0x1000, 0, 0 }, { 0x1000, 31, 0 }, { 0x1000, 32, 1 }, { 0x1000, 63, 1 },
	{ 0x1000, 64, 2 }, { 0x1000, 95, 2 }, { 0x1000, 96, 3 }, { 0x1000, 127, 3 })

TEST(solaris_profil_counts_are_relative_to_time_spent)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	for (int i = 0; i < 4; i++) {
		spend(TEXT, 60);
		spend(TEXT + 64, 20);
	}
	stop();
	CHECK_NEAR(buf[0], 24, 7);
	CHECK_NEAR(SUM(buf), 32, 2);
}

TEST(solaris_profil_stops_when_a_count_is_at_32767)
{
	buf[3] = 32765;
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT + 12, 2);
	CHECK_EQ(buf[3], 32767);
	spend(TEXT + 12, 60);
	CHECK_EQ(buf[3], 32767);
	CHECK(!profile_is_on());
	spend(TEXT, IDLE_MS);
	CHECK_EQ(buf[0], 0);
}

TEST(solaris_profil_goes_on_after_that_stop_when_called_again)
{
	buf[3] = 32767;
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spend(TEXT + 12, IDLE_MS);
	profil(buf, sizeof(buf), TEXT, 0x8000);
	CHECK_EQ(buf[3], 32767);
	buf[3] = 0;
	CHECK_HIT(buf, TEXT, 0);
}

TEST_HITS(solaris_profil_scale_is_a_16_bit_fraction,
	profil(buf, sizeof(buf), TEXT, 0xc000), AT(buf, TEXT + 2, 0),
	AT(buf, TEXT + 3, 1), AT(buf, TEXT + 16, 6))

TEST_INDEXES(solaris_profil_halving_scale_doubles_bytes_per_counter, buf,
	profil(buf, sizeof(buf), TEXT, scale),
	{ 0x8000, 7, 1 }, { 0x8000, 8, 2 }, { 0x4000, 15, 1 }, { 0x4000, 16, 2 },
	{ 0x800, 127, 1 }, { 0x800, 128, 2 }, { 0x200, 511, 1 }, { 0x200, 512, 2 })

TEST_HITS(solaris_profil_scale_ffff_maps_2_bytes_to_a_counter,
	profil(buf, sizeof(buf), TEXT, 0xffff), AT(buf, TEXT, 0), AT(buf, TEXT + 2, 0),
	AT(buf, TEXT + 3, 1), AT(buf, TEXT + 4, 1), AT(buf, TEXT + 0x100, 0x7f),
	AT(buf, TEXT + 0x20000, 65535))

CASE(solaris_profil_scale_2_writes_no_byte_past_bufsiz,
     CHECK_COUNTS_NOTHING(profil(buf, 1, TEXT, 2), buf))
TEST_HITS(solaris_profil_scale_4000_maps_8_bytes_to_a_counter,
	profil(buf, sizeof(buf), TEXT, 0x4000), AT(buf, TEXT + 7, 0),
	AT(buf, TEXT + 8, 1), AT(buf, TEXT + 0x17, 2), AT(buf, TEXT + 0x10000, 8192))

TEST_INDEXES(solaris_profil_index_is_distance_times_scale, buf,
	profil(buf, sizeof(buf), TEXT, scale),
	{ 0xffff, 2, 0 }, { 0xffff, 3, 1 }, { 0x8000, 0x10, 4 },
	{ 0x8000, 0x12, 4 }, { 0xaaab, 3, 1 }, { 0x5555, 0x236, 94 },
	{ 3, 0x20000, 3 })

TEST(solaris_profil_pc_of_64_bits_is_subtracted_whole)
{
	profil(buf, sizeof(buf), FAR_TEXT, 0x8000);
	CHECK_HIT(buf, FAR_TEXT + 8, 2);
	profil(buf, sizeof(buf), TEXT, 0x8000);
	CHECK_HIT(buf, TEXT + 0x100000000UL, NOWHERE);
}

/* RATIO * 0200000L, for a buffer of half the region's size. */
TEST_HITS(solaris_profil_scale_is_ratio_times_0200000,
	profil(buf, 1000, TEXT, 1000 * 0200000L / 2000), AT(buf, TEXT, 0),
	AT(buf, TEXT + 1999, 499))

TEST_HITS(solaris_profil_bufsiz_is_region_times_ratio, profil(buf, 4096 / 4, TEXT, 0x4000),
	AT(buf, TEXT + 4095, 511), AT(buf, TEXT + 4096, NOWHERE))

CASE(solaris_profil_bufsiz_0_is_ineffective,
     CHECK_COUNTS_NOTHING(profil(buf, 0, TEXT, 0x8000), buf))
CASE(solaris_profil_bufsiz_0_ends_the_profile_before,
     CHECK_TURNS_OFF(profil(buf, sizeof(buf), TEXT, 0x8000), profil(buf, 0, TEXT, 0x8000), buf))

TEST(solaris_profil_buffer_made_read_only_is_a_memory_fault)
{
	unsigned short *one = pages(PAGE);

	profil(one, PAGE, TEXT, 0x8000);
	spin(TEXT, 1);
	protect(one, PAGE);
	spin_until_off(TEXT);
	CHECK_EQ(one[0], 1);
}

TEST(solaris_profil_takes_any_buffer_without_complaint)
{
	CHECK_QUIET(profil((unsigned short *)KERNEL_ADDRESS, 64, TEXT, 0x8000));
	spend(TEXT, IDLE_MS);
	CHECK_QUIET(profil((unsigned short *)-2L, 64, TEXT, 0x8000));
	spend(TEXT, IDLE_MS);
}

CASE(solaris_profil_turns_off_even_if_the_new_buffer_is_bad,
     CHECK_TURNS_OFF(profil(buf, sizeof(buf), TEXT, 0x8000),
		     profil((unsigned short *)KERNEL_ADDRESS, 64, TEXT, 0x8000), buf))

TEST(solaris_profil_is_turned_on_and_off_while_threads_run)
{
	thread_start();
	for (int i = 1; i <= 3; i++) {
		profil(buf, sizeof(buf), TEXT, 0x8000);
		thread_spin(TEXT, 1);
		profil(0, 0, 0, 0);
		spend_in_threads(TEXT, 20, 1);
		CHECK_EQ(SUM(buf), i);
	}
}

TEST_INDEXES(solaris_profil_scale_above_ffff_is_used_as_it_is, buf,
	profil(buf, sizeof(buf), TEXT, scale),
	{ 0x10000, 2, 1 }, { 0x18000, 0x10, 12 }, { 0x20000, 1, 1 }, { 0xffffffff, 1, 32767 },
	{ 0xffffffff, 2, 65535 }, { 0xffffffff, 3, NOWHERE })

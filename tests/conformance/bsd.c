// SPDX-License-Identifier: LGPL-2.1-or-later
/* 4.4BSD, FreeBSD, NetBSD, OpenBSD, macOS: profil(2). */
#include <sys/types.h>
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "harness.h"

static unsigned short bins[65536 + 8];
static char samples[512];

TEST(bsd_profil_returns_int_and_takes_char_pointer)
{
	int (*call)(char *, size_t, u_long, u_int) = profil;

	EXPECT_OK(call(samples, sizeof(samples), TEXT, 65536));
	EXPECT(profile_is_on());
}

TEST(bsd_profil_counts_at_each_tick)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	spin(TEXT, 1);
	EXPECT_EQ(bins[0], 1);
	spin(TEXT, 3);
	EXPECT_EQ(bins[0], 4);
	idle(100);
	EXPECT_EQ(SUM(bins), 4);
}

TEST(bsd_profil_ticks_are_those_of_the_clock)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	spend(TEXT, 300);
	EXPECT_EQ(profil(NULL, 0, 0, 0), 0);
	EXPECT_NEAR(bins[0], 30, 2);
}

TEST(bsd_profil_size_is_in_bytes)
{
	EXPECT_OK(profil((char *)bins, 16, TEXT, 65536));
	EXPECT_HIT(bins, TEXT + 15, 7);
	EXPECT_HIT(bins, TEXT + 16, NOWHERE);
}

TEST(bsd_profil_bins_have_16_bits)
{
	EXPECT_OK(profil(samples, sizeof(samples), TEXT, 65536));
	spin(TEXT + 6, 1);
	EXPECT_EQ(samples[6] + samples[7], 1);
	EXPECT_EQ(sum(samples, sizeof(samples), 1), 1);
}

TEST(bsd_profil_bins_wrap)
{
	bins[0] = 65535;
	bins[1] = 32767;
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	spin(TEXT, 2);
	spin(TEXT + 2, 1);
	EXPECT_EQ(bins[0], 1);
	EXPECT_EQ(bins[1], 32768);
}

TEST(bsd_profil_each_bin_is_a_range_of_addresses)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 16384));
	EXPECT_HIT(bins, TEXT + 7, 0);
	EXPECT_HIT(bins, TEXT + 8, 1);
	EXPECT_HIT(bins, TEXT + 15, 1);
}

TEST(bsd_profil_bin_follows_the_relation)
{
	static const struct { u_int scale, d; int bin; } rows[] = {
		{ 65536, 0, 0 }, { 65536, 2, 1 }, { 65536, 0x1000, 0x800 },
		{ 0xffff, 2, 0 }, { 0xffff, 4, 1 }, { 0x8000, 0x10, 4 },
		{ 0x8000, 0x12, 4 }, { 0x5555, 0x236, 94 },
		{ 0x4000, 0x10000, 8192 }, { 0xffff, 0x20000, 65535 },
		{ 3, 0x20000, 3 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, rows[i].scale));
		EXPECT_HIT(bins, TEXT + rows[i].d, rows[i].bin);
	}
}

TEST(bsd_profil_odd_pcs_are_scaled_before_they_are_halved)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 0xffff));
	EXPECT_HIT(bins, TEXT + 3, 1);
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 0xaaab));
	EXPECT_HIT(bins, TEXT + 3, 1);
}

TEST(bsd_profil_offset_is_the_lowest_pc)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT + 32, 65536));
	EXPECT_HIT(bins, TEXT + 31, NOWHERE);
	EXPECT_HIT(bins, TEXT + 32, 0);
}

TEST(bsd_profil_far_pcs_are_not_taken_for_near_ones)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	EXPECT_HIT(bins, TEXT + 0x100000000UL, NOWHERE);
	EXPECT_HIT(bins, FAR_TEXT, NOWHERE);
}

TEST(bsd_profil_scale_1_is_a_scale)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 1));
	EXPECT_HIT(bins, TEXT + 131071, 0);
	EXPECT_HIT(bins, TEXT + 131072, 1);
}

TEST(bsd_profil_scale_2_is_a_scale)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 2));
	EXPECT_HIT(bins, TEXT + 65535, 0);
	EXPECT_HIT(bins, TEXT + 65536, 1);
	EXPECT_HIT(bins, TEXT + 0x20000, 2);
}

TEST(bsd_profil_scale_65536_is_the_largest)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	EXPECT_ERRNO(profil((char *)bins, sizeof(bins), TEXT, 65537), EINVAL);
	EXPECT_ERRNO(profil((char *)bins, sizeof(bins), TEXT, 0xffffffff), EINVAL);
}

TEST(bsd_profil_einval_changes_nothing)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	EXPECT_ERRNO(profil(samples, sizeof(samples), TEXT, 65537), EINVAL);
	EXPECT_HIT(bins, TEXT + 2, 1);
}

static void bin_width(u_int scale, unsigned long bytes)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, scale));
	EXPECT_HIT(bins, TEXT + 5 * bytes - 1, 4);
	EXPECT_HIT(bins, TEXT + 5 * bytes, 5);
}

TEST(bsd_profil_scale_changes_the_span_of_the_bins)
{
	bin_width(0x2000, 16);
	bin_width(0x400, 128);
}

TEST(bsd_profil_scale_65536_gives_2_bytes)
{
	bin_width(65536, 2);
}

TEST(bsd_profil_scale_32768_gives_4_bytes)
{
	bin_width(32768, 4);
}

TEST(bsd_profil_scale_16384_gives_8_bytes)
{
	bin_width(16384, 8);
}

/* 3 of 4 pairs of bytes have a bin of their own. */
TEST(bsd_profil_scales_between_give_ranges_between)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 0xc000));
	EXPECT_HIT(bins, TEXT + 2, 0);
	EXPECT_HIT(bins, TEXT + 4, 1);
	EXPECT_HIT(bins, TEXT + 800, 300);
}

TEST(bsd_profil_scale_0_disables)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	spin(TEXT, 1);
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 0));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(bins), 1);
	EXPECT_OK(profil(NULL, 0, 0, 0));
}

TEST(bsd_profil_null_buffer_does_not_disable)
{
	EXPECT_EQ(profil(NULL, 0, TEXT, 65536), 0);
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	EXPECT_HIT(bins, TEXT, 0);
}

TEST(bsd_profil_illegal_buffer_is_found_at_the_tick)
{
	EXPECT_OK(profil(NOT_MAPPED, 64, TEXT, 65536));
	spin_until_off(TEXT);
	EXPECT_OK(profil(KERNEL_ADDRESS, 64, TEXT, 65536));
	spend(TEXT, IDLE_MS);
}

TEST(bsd_profil_fault_turns_off)
{
	unsigned short *two = pages(2 * PAGE);

	EXPECT_OK(profil((char *)two, 2 * PAGE, TEXT, 65536));
	spin(TEXT, 1);
	unmap((char *)two + PAGE, PAGE);
	spin_until_off(TEXT + PAGE);
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(two[0], 1);
}

TEST(bsd_profil_returns_0)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	EXPECT_OK(profil((char *)bins, 0, TEXT, 65536));
	EXPECT_OK(profil(NULL, 0, 0, 0));
}

TEST(bsd_profil_new_call_replaces)
{
	EXPECT_OK(profil(samples, sizeof(samples), TEXT, 65536));
	spin(TEXT, 1);
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	spin(TEXT, 2);
	EXPECT_EQ(sum(samples, sizeof(samples) / 2, 2), 1);
	EXPECT_EQ(bins[0], 2);
}

TEST(bsd_profil_counts_every_thread)
{
	thread_start();
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	spin(TEXT, 1);
	thread_spin(TEXT + 4, 2);
	spend_in_threads(TEXT + 8, 40, 2);
	EXPECT_EQ(bins[0], 1);
	EXPECT_EQ(bins[2], 2);
	EXPECT_NEAR(bins[4], 8, 3);
}

static void child_counts_on(void)
{
	spin(TEXT, 2);
	EXPECT_EQ(bins[0], 3);
}

TEST(bsd_profil_stays_on_after_fork)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	spin(TEXT, 1);
	EXPECT(in_child(child_counts_on));
	spin(TEXT, 1);
	EXPECT_EQ(bins[0], 2);
}

ROLE(run_unprofiled)
{
	EXPECT(!profile_is_on());
	spend(argument, IDLE_MS);
	EXPECT_EQ(profile_ticks(), 0);
	return 0;
}

TEST(bsd_profil_exec_turns_off)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	EXPECT(in_program("run_unprofiled", TEXT));
	become("run_unprofiled", TEXT);
}

TEST(bsd_profil_charges_system_time_to_the_return_address)
{
	EXPECT_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	spend_in_kernel(TEXT + 64, 200);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	EXPECT_NEAR(SUM(bins), 20, 2);
	EXPECT(bins[32] >= 18);
}

TEST(bsd_profil_odd_size_writes_no_byte_past_it)
{
	EXPECT_OK(profil(samples, 5, TEXT, 65536));
	spin(TEXT + 2, 1);
	spend(TEXT + 4, IDLE_MS);
	EXPECT_EQ(sum(samples, sizeof(samples), 1), 1);
}

TEST(bsd_profil_size_beyond_user_space_counts_what_fits)
{
	/* Compilers warn of it. */
	volatile size_t size = SIZE_MAX;

	EXPECT_OK(profil((char *)bins, size, TEXT, 65536));
	EXPECT_HIT(bins, TEXT + 6, 3);
}

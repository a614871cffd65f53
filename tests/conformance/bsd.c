// SPDX-License-Identifier: LGPL-2.1-or-later
/* 4.4BSD, FreeBSD, NetBSD, OpenBSD, macOS: profil(2). */
#include <sys/types.h>
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "ticks.h"

#define SYSTEM	bsd
#define PROFIL(array, bytes, offset, scale)	profil((char *)(array), bytes, offset, scale)
#define EVERY_SCALE
#include "every_profil.h"

static char samples[512];

TEST_TYPE(bsd_profil_returns_int_and_takes_char_pointer,
	int (*call)(char *, size_t, u_long, u_int), profil,
	CHECK_OK, samples, sizeof(samples), TEXT, 65536)

TEST(bsd_profil_bins_have_16_bits)
{
	CHECK_OK(profil(samples, sizeof(samples), TEXT, 65536));
	spin(TEXT + 6, 1);
	CHECK_EQ(samples[6] + samples[7], 1);
	CHECK_EQ(sum(samples, sizeof(samples), 1), 1);
}

CASE(bsd_profil_bins_wrap,
     CHECK_COUNTS(buf[0], 65534, profil((char *)buf, sizeof(buf), TEXT, 65536), 3, 1))
TEST_HITS(bsd_profil_each_bin_is_a_range_of_addresses,
	profil((char *)buf, sizeof(buf), TEXT, 16384), AT(buf, TEXT + 7, 0),
	AT(buf, TEXT + 8, 1), AT(buf, TEXT + 15, 1))

TEST_INDEXES(bsd_profil_bin_follows_the_relation, buf,
	profil((char *)buf, sizeof(buf), TEXT, scale),
	{ 65536, 0, 0 }, { 65536, 2, 1 }, { 65536, 0x1000, 0x800 },
	{ 0xffff, 2, 0 }, { 0xffff, 4, 1 }, { 0x8000, 0x10, 4 },
	{ 0x8000, 0x12, 4 }, { 0x5555, 0x236, 94 },
	{ 0x4000, 0x10000, 8192 }, { 0xffff, 0x20000, 65535 },
	{ 3, 0x20000, 3 }, { 0xffff, 3, 1 }, { 0xaaab, 3, 1 })

TEST_HITS(bsd_profil_far_pcs_are_not_taken_for_near_ones,
	profil((char *)buf, sizeof(buf), TEXT, 65536),
	AT(buf, TEXT + 0x100000000UL, NOWHERE), AT(buf, FAR_TEXT, NOWHERE))
TEST_INDEXES(bsd_profil_scale_1_is_a_scale, buf, profil((char *)buf, sizeof(buf), TEXT, scale),
	{ 1, 131071, 0 }, { 1, 131072, 1 }, { 2, 65535, 0 }, { 2, 65536, 1 }, { 2, 0x20000, 2 })

TEST(bsd_profil_scale_65536_is_the_largest)
{
	CHECK_OK(profil((char *)buf, sizeof(buf), TEXT, 65536));
	CHECK_FAILS(profil(samples, sizeof(samples), TEXT, 65537), EINVAL);
	CHECK_FAILS(profil(samples, sizeof(samples), TEXT, 0xffffffff), EINVAL);
	CHECK_HIT(buf, TEXT + 2, 1);
}

TEST_INDEXES(bsd_profil_scale_changes_the_span_of_the_bins, buf,
	profil((char *)buf, sizeof(buf), TEXT, scale),
	{ 65536, 9, 4 }, { 65536, 10, 5 }, { 32768, 19, 4 }, { 32768, 20, 5 },
	{ 16384, 39, 4 }, { 16384, 40, 5 }, { 0x2000, 79, 4 }, { 0x2000, 80, 5 },
	{ 0x400, 639, 4 }, { 0x400, 640, 5 })

/* 3 of 4 pairs of bytes have a bin of their own. */
TEST_HITS(bsd_profil_scales_between_give_ranges_between,
	profil((char *)buf, sizeof(buf), TEXT, 0xc000), AT(buf, TEXT + 2, 0),
	AT(buf, TEXT + 4, 1), AT(buf, TEXT + 800, 300))

TEST(bsd_profil_null_buffer_does_not_disable)
{
	CHECK_OK(profil(NULL, 0, TEXT, 65536));
	CHECK_OK(profil(NULL, 0, 0, 0));
	CHECK_OK(profil((char *)buf, 0, TEXT, 65536));
	CHECK_OK(profil((char *)buf, sizeof(buf), TEXT, 65536));
	CHECK_HIT(buf, TEXT, 0);
}

TEST(bsd_profil_size_beyond_user_space_counts_what_fits)
{
	/* Compilers warn of it. */
	volatile size_t size = SIZE_MAX;

	CHECK_OK(profil((char *)buf, size, TEXT, 65536));
	CHECK_HIT(buf, TEXT + 6, 3);
}

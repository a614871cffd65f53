// SPDX-License-Identifier: LGPL-2.1-or-later
/* AIX: profil subroutine. */
#include <mon.h>
#include <errno.h>
#include <stddef.h>
#include <sys/types.h>

#include "ticks.h"

#define SYSTEM	aix
#define PROFIL	profil
#define ON_ONCE
#define LAST	29
#include "every_profil.h"

static HISTCOUNTER a[64], b[64];

static struct prof two[] = {
	{ (caddr_t)TEXT, (caddr_t)(TEXT + 256), a, sizeof(a), 0x8000 },
	{ (caddr_t)FAR_TEXT, (caddr_t)(FAR_TEXT + 256), b, sizeof(b), 0x8000 },
	{ 0, 0, 0, 0, 0 },
};
static struct prof off[1];

TEST_HITS(aix_profil_is_declared_in_mon_h, ON, AT(buf, TEXT + 4, 1))

TEST(aix_profil_other_sizes_than_minus_1_are_the_first_form)
{
	CHECK_OK(profil(buf, 2, TEXT, 0x8000));
	CHECK_HIT(buf, TEXT, 0);
	CHECK_OK(profil(buf, 2, TEXT, 0));
	CHECK_FAILS(profil(two, -2, TEXT, 0x8000), EFAULT);
	CHECK(!profile_is_on());
}

/* What is on stays on: off it goes, and on with another scale. */
#define ANEW	(profil(buf, sizeof(buf), TEXT, 0), profil(buf, sizeof(buf), TEXT, scale))

TEST_INDEXES(aix_profil_distance_is_multiplied_and_shifted_by_16, buf, ANEW,
	{ 0x8000, 0x10, 4 }, { 0x5555, 0x236, 94 }, { 0x4000, 0x10000, 8192 },
	{ 0xffff, 0x20000, 65535 }, { 3, 0x20000, 3 },
	{ 0xc000, 400, 150 })

TEST_INDEXES(aix_profil_result_is_rounded_up_to_a_half_word, buf, ANEW,
	{ 0xffff, 2, 1 }, { 0xffff, 3, 1 }, { 0xffff, 4, 2 }, { 0x8000, 0x12, 5 },
	{ 0x4000, 0x17, 3 }, { 0x8000, 1, 0 }, { 0xaaab, 3, 1 })

CASE(aix_profil_count_stays_at_ushrt_max, CHECK_COUNTS(buf[0], 65534, ON, 3, 65535))
TEST_INDEXES(aix_profil_upper_16_bits_of_scale_are_ignored, buf, ANEW,
	{ 0x18000, 0x10, 4 }, { 0xdeadffff, 4, 2 })

CASE(aix_profil_scale_10000_turns_off, scale_turns_off(0x10000))

TEST_HITS(aix_profil_scale_ffff_maps_pairs_of_bytes,
	profil(buf, sizeof(buf), TEXT, 0xffff), AT(buf, TEXT, 0),
	AT(buf, TEXT + 100, 50), AT(buf, TEXT + 101, 50), AT(buf, TEXT + 102, 51))
TEST_HITS(aix_profil_scale_7fff_maps_four_bytes, profil(buf, sizeof(buf), TEXT, 0x7fff),
	AT(buf, TEXT + 399, 100), AT(buf, TEXT + 400, 100), AT(buf, TEXT + 402, 100),
	AT(buf, TEXT + 403, 101))

TEST(aix_profil_size_0_is_ineffective)
{
	CHECK_OK(profil(buf, 0, TEXT, 0x8000));
	spend(TEXT, IDLE_MS);
	CHECK_EQ(SUM(buf), 0);
	CHECK_OK(ON);
	CHECK_OK(profil(buf, 0, TEXT, 0x8000));
	CHECK_HIT(buf, TEXT, 0);
}

TEST_HITS(aix_ranges_form_is_chosen_by_size_minus_1, profil(two, -1, 0x1234567, 0x7777),
	AT(a, TEXT + 4, 1), AT(b, FAR_TEXT + 8, 2), AT(a, TEXT + PAGE, NOWHERE))

TEST(aix_ranges_struct_prof_has_its_members)
{
	struct prof p;

	CHECK_EQ(sizeof(p), 32);
	CHECK_EQ(sizeof(*p.p_buff), sizeof(unsigned short));
}

/* Ends with an element whose p_high is 0. */
#define RANGES(...)	profil((struct prof[]){ __VA_ARGS__, { 0, 0, 0, 0, 0 } }, -1, 0, 0)
#define ONE_RANGE(bytes, bufsize, scale)				\
	RANGES({ (caddr_t)TEXT, (caddr_t)(TEXT + (bytes)), a, (bufsize), (scale) })

TEST_HITS(aix_ranges_p_low_is_the_first_pc, profil(two, -1, 0, 0),
	AT(a, TEXT - 1, NOWHERE), AT(a, TEXT, 0))
TEST_HITS(aix_ranges_p_high_is_the_end, ONE_RANGE(32, sizeof(a), 0x8000), AT(a, TEXT + 29, 7),
	AT(a, TEXT + 31, 8), AT(a, TEXT + 32, NOWHERE))
TEST_HITS(aix_ranges_p_bufsize_is_in_bytes, ONE_RANGE(256, 8, 0x8000),
	AT(a, TEXT + 13, 3), AT(a, TEXT + 14, NOWHERE))
TEST_HITS(aix_ranges_scale_minus_1_is_made_to_fit, ONE_RANGE(256, 64, (uint)-1), AT(a, TEXT + 8, 1),
	AT(a, TEXT + 11, 1), AT(a, TEXT + 12, 2), AT(a, TEXT + 248, 31))
TEST_HITS(aix_ranges_scale_minus_1_is_at_most_ffff,
	ONE_RANGE(64, sizeof(a), (uint)-1), AT(a, TEXT + 2, 1),
	AT(a, TEXT + 40, 20), AT(a, TEXT + 63, 31))

TEST_INDEXES(aix_ranges_other_scales_are_as_in_the_first_form, a,
	(profil(off, -1, 0, 0), ONE_RANGE(256, sizeof(a), scale)),
	{ 0x18000, 0x12, 5 }, { 2, 255, 0 }, { 0xffff, 4, 2 })

TEST_HITS(aix_ranges_scale_0_or_1_turns_that_range_off,
	RANGES({ (caddr_t)TEXT, (caddr_t)(TEXT + 256), a, sizeof(a), 1 }, two[1]),
	AT(a, TEXT, NOWHERE), AT(b, FAR_TEXT, 0))
TEST_HITS(aix_ranges_end_with_p_high_0, RANGES(two[0], two[2], two[1]),
	AT(a, TEXT, 0), AT(b, FAR_TEXT, NOWHERE))

TEST_HITS(aix_ranges_other_fields_of_the_last_are_ignored,
	RANGES(two[0], two[1], { (caddr_t)-1L, 0, KERNEL_ADDRESS, -5, 77 }), AT(b, FAR_TEXT, 0))
TEST_HITS(aix_ranges_may_be_parts_of_one_buffer,
	RANGES({ (caddr_t)TEXT, (caddr_t)(TEXT + 256), buf, 20, 0x8000 },
	       { (caddr_t)FAR_TEXT, (caddr_t)(FAR_TEXT + 256), buf + 10, 20, 0x8000 }),
	AT(buf, TEXT + 36, 9), AT(buf, FAR_TEXT, 10), AT(buf, TEXT + 40, NOWHERE))

CASE(aix_ranges_count_stays_at_ushrt_max,
     CHECK_COUNTS(a[0], 65534, profil(two, -1, 0, 0), 3, 65535))
CASE(aix_ranges_are_turned_off_by_a_first_p_high_of_0,
     CHECK_TURNS_OFF(profil(two, -1, 0, 0), profil(off, -1, 0, 0), a))

static void child_is_on_already(void)
{
	CHECK_OK(profil(two, -1, 0, 0));
	spin(TEXT, 2);
	CHECK_EQ(buf[0], 3);
}

TEST(aix_profil_fork_child_is_on_already)
{
	CHECK_OK(ON);
	spin(TEXT, 1);
	in_child(child_is_on_already);
}

ROLE(turn_on_again)
{
	CHECK(!profile_is_on());
	spend(TEXT, IDLE_MS);
	CHECK_EQ(profile_ticks(), 0);
	CHECK_OK(ON);
	CHECK_HIT(buf, TEXT, 0);
	return 0;
}

CASE(aix_profil_exec_turns_off, CHECK_OK(ON); become("turn_on_again", 0))

TEST(aix_profil_neither_form_turns_off_the_other)
{
	CHECK_OK(ON);
	CHECK_OK(profil(off, -1, 0, 0));
	CHECK_HIT(buf, TEXT, 0);
	CHECK_OK(profil(buf, sizeof(buf), TEXT, 0));
	CHECK_OK(profil(two, -1, 0, 0));
	CHECK_OK(profil(buf, sizeof(buf), TEXT, 0));
	CHECK_OK(profil(0, 0, 0, 0));
	CHECK_HIT(a, TEXT, 0);
}

TEST(aix_profil_turning_on_twice_is_ineffective)
{
	CHECK_OK(ON);
	CHECK_OK(profil(a, sizeof(a), TEXT, 0x4000));
	CHECK_OK(profil(two, -1, 0, 0));
	CHECK_HIT(buf, TEXT + 8, 2);
	CHECK_EQ(SUM(a), 0);
	CHECK_OK(profil(buf, sizeof(buf), TEXT, 0));
	CHECK_OK(profil(two, -1, 0, 0));
	CHECK_OK(ON);
	CHECK_HIT(a, TEXT, 0);
	CHECK_EQ(SUM(buf), 0);
}

TEST(aix_profil_turning_off_twice_is_ineffective)
{
	CHECK_OK(profil(buf, sizeof(buf), TEXT, 0));
	CHECK_OK(ON);
	CHECK_OK(profil(buf, sizeof(buf), TEXT, 0));
	CHECK_OK(profil(buf, sizeof(buf), TEXT, 0));
	CHECK_OK(profil(off, -1, 0, 0));
	CHECK(!profile_is_on());
}

TEST(aix_profil_bad_buffer_is_efault)
{
	char *constant = pages(PAGE);

	CHECK_FAILS(profil(NULL, 64, TEXT, 0x8000), EFAULT);
	CHECK_FAILS(profil(NOT_MAPPED, 64, TEXT, 0x8000), EFAULT);
	CHECK_FAILS(profil(KERNEL_ADDRESS, 64, TEXT, 0x8000), EFAULT);
	protect(constant, PAGE);
	CHECK_FAILS(profil(constant, 64, TEXT, 0x8000), EFAULT);
	CHECK(!profile_is_on());
}

TEST(aix_profil_buffer_that_ends_too_soon_is_efault)
{
	char *last = pages(PAGE);

	CHECK_FAILS(profil(last, PAGE + 1, TEXT, 0x8000), EFAULT);
	CHECK_OK(profil(last, PAGE, TEXT, 0x8000));
}

TEST(aix_ranges_bad_array_is_efault)
{
	CHECK_FAILS(profil(NULL, -1, 0, 0), EFAULT);
	CHECK_FAILS(profil(NOT_MAPPED, -1, 0, 0), EFAULT);
	CHECK_FAILS(profil(KERNEL_ADDRESS, -1, 0, 0), EFAULT);
}

TEST(aix_ranges_bad_p_buff_is_efault)
{
	void *const bad[] = { NOT_MAPPED, KERNEL_ADDRESS };

	for (unsigned int i = 0; i < COUNT(bad); i++)
		CHECK_FAILS(RANGES(two[0], { (caddr_t)FAR_TEXT, (caddr_t)(FAR_TEXT + 256), bad[i],
					     sizeof(b), 0x8000 }), EFAULT);
	CHECK(!profile_is_on());
}

TEST(aix_ranges_p_high_not_ascending_is_einval)
{
	CHECK_FAILS(RANGES(two[1], two[0]), EINVAL);
	CHECK_FAILS(RANGES(two[0], two[0]), EINVAL);
	CHECK_FAILS(ONE_RANGE(0, sizeof(a), 0x8000), EINVAL);
	CHECK(!profile_is_on());
}

TEST(aix_profil_buffer_lost_while_on_turns_off)
{
	CHECK_LOSS_TURNS_OFF(profil(lost, PAGE, TEXT, 0x8000));
	CHECK_OK(ON);
	CHECK_HIT(buf, TEXT, 0);
}

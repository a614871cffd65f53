// SPDX-License-Identifier: LGPL-2.1-or-later
/* AIX: profil subroutine. */
#include <mon.h>
#include <errno.h>
#include <stddef.h>
#include <sys/types.h>

#include "harness.h"

static unsigned short buf[65536 + 8];
static HISTCOUNTER a[64], b[64];

static struct prof two[] = {
	{ (caddr_t)TEXT, (caddr_t)(TEXT + 256), a, sizeof(a), 0x8000 },
	{ (caddr_t)FAR_TEXT, (caddr_t)(FAR_TEXT + 256), b, sizeof(b), 0x8000 },
	{ 0, 0, 0, 0, 0 },
};
static struct prof off[1];

static int on(void)
{
	return profil(buf, sizeof(buf), TEXT, 0x8000);
}

/* --- ShortBuffer, BufferSize, Offset, Scale --------------------------------- */

TEST(aix_profil_is_declared_in_mon_h)
{
	EXPECT_OK(on());
	EXPECT_HIT(buf, TEXT + 4, 1);
}

TEST(aix_profil_records_a_histogram_of_periodic_samples)
{
	EXPECT_OK(on());
	spin(TEXT, 2);
	spin(TEXT + 40, 3);
	EXPECT_EQ(buf[0], 2);
	EXPECT_EQ(buf[10], 3);
	EXPECT_EQ(SUM(buf), 5);
}

TEST(aix_profil_other_sizes_than_minus_1_are_the_first_form)
{
	EXPECT_OK(profil(buf, 2, TEXT, 0x8000));
	EXPECT_HIT(buf, TEXT, 0);
	EXPECT_OK(profil(buf, 2, TEXT, 0));
	EXPECT_ERRNO(profil(two, -2, TEXT, 0x8000), EFAULT);
	EXPECT(!profile_is_on());
}

TEST(aix_profil_pc_is_examined_while_the_process_is_active)
{
	EXPECT_OK(on());
	idle(100);
	EXPECT_EQ(profile_ticks(), 0);
	spend(TEXT, 200);
	EXPECT_NEAR(buf[0], 20, 2);
}

TEST(aix_profil_offset_is_subtracted)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT + 100, 0x8000));
	EXPECT_HIT(buf, TEXT + 99, NOWHERE);
	EXPECT_HIT(buf, TEXT + 100, 0);
	EXPECT_HIT(buf, TEXT + 140, 10);
}

static void indexes(const unsigned int (*row)[3], int n)
{
	for (; n--; row++) {
		EXPECT_OK(profil(buf, sizeof(buf), TEXT, (*row)[0]));
		EXPECT_HIT(buf, TEXT + (*row)[1], (*row)[2]);
		EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0));
	}
}

TEST(aix_profil_distance_is_multiplied_and_shifted_by_16)
{
	static const unsigned int rows[][3] = {
		{ 0x8000, 0x10, 4 }, { 0x5555, 0x236, 94 },
		{ 0x4000, 0x10000, 8192 }, { 0xffff, 0x20000, 65535 },
		{ 3, 0x20000, 3 },
	};

	indexes(rows, 5);
}

TEST(aix_profil_result_is_rounded_up_to_a_half_word)
{
	static const unsigned int rows[][3] = {
		{ 0xffff, 2, 1 }, { 0xffff, 3, 1 }, { 0xffff, 4, 2 },
		{ 0x8000, 0x12, 5 }, { 0x4000, 0x17, 3 }, { 0x8000, 1, 0 },
		{ 0xaaab, 3, 1 },
	};

	indexes(rows, 7);
}

TEST(aix_profil_result_is_less_than_the_number_of_shorts)
{
	EXPECT_OK(profil(buf, 8, TEXT, 0x8000));
	EXPECT_HIT(buf, TEXT + 13, 3);
	EXPECT_HIT(buf, TEXT + 14, NOWHERE);
	EXPECT_HIT(buf, FAR_TEXT, NOWHERE);
}

TEST(aix_profil_count_stays_at_ushrt_max)
{
	buf[0] = 65534;
	EXPECT_OK(on());
	spin(TEXT, 3);
	spin(TEXT + 4, 1);
	EXPECT_EQ(buf[0], 65535);
	EXPECT_EQ(buf[1], 1);
}

TEST(aix_profil_scale_has_its_point_left_of_16_bits)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0xc000));
	EXPECT_HIT(buf, TEXT + 400, 150);
}

TEST(aix_profil_upper_16_bits_of_scale_are_ignored)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x18000));
	EXPECT_HIT(buf, TEXT + 0x10, 4);
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0));
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0xdeadffff));
	EXPECT_HIT(buf, TEXT + 4, 2);
}

TEST(aix_profil_scale_10000_turns_off)
{
	EXPECT_OK(on());
	spin(TEXT, 1);
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	EXPECT(!profile_is_on());
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	EXPECT(!profile_is_on());
}

TEST(aix_profil_scale_ffff_maps_pairs_of_bytes)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0xffff));
	EXPECT_HIT(buf, TEXT, 0);
	EXPECT_HIT(buf, TEXT + 100, 50);
	EXPECT_HIT(buf, TEXT + 101, 50);
	EXPECT_HIT(buf, TEXT + 102, 51);
}

TEST(aix_profil_scale_7fff_maps_four_bytes)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x7fff));
	EXPECT_HIT(buf, TEXT + 399, 100);
	EXPECT_HIT(buf, TEXT + 400, 100);
	EXPECT_HIT(buf, TEXT + 402, 100);
	EXPECT_HIT(buf, TEXT + 403, 101);
}

TEST(aix_profil_scale_2_is_a_clock_in_one_place)
{
	EXPECT_OK(profil(buf, 4, TEXT, 2));
	EXPECT_HIT(buf, TEXT, 0);
	EXPECT_HIT(buf, TEXT + 0x50000, 0);
	EXPECT_HIT(buf, FAR_TEXT, 0);
}

static void scale_turns_off(unsigned int scale)
{
	EXPECT_OK(on());
	spin(TEXT, 1);
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, scale));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(buf), 1);
}

TEST(aix_profil_scale_1_turns_off)
{
	scale_turns_off(1);
}

TEST(aix_profil_scale_0_turns_off)
{
	scale_turns_off(0);
}

TEST(aix_profil_size_0_is_ineffective)
{
	EXPECT_OK(profil(buf, 0, TEXT, 0x8000));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(buf), 0);
	EXPECT_OK(on());
	EXPECT_OK(profil(buf, 0, TEXT, 0x8000));
	EXPECT_HIT(buf, TEXT, 0);
}

/* --- ProfBuffer, -1, 0, 0 ----------------------------------------------------- */

TEST(aix_ranges_form_is_chosen_by_size_minus_1)
{
	EXPECT_OK(profil(two, -1, 0, 0));
	EXPECT_HIT(a, TEXT + 4, 1);
	EXPECT_HIT(b, FAR_TEXT + 8, 2);
	EXPECT_HIT(a, TEXT + PAGE, NOWHERE);
}

TEST(aix_ranges_offset_and_scale_are_ignored)
{
	EXPECT_OK(profil(two, -1, 0x1234567, 0x7777));
	EXPECT_HIT(a, TEXT + 4, 1);
	EXPECT_HIT(b, FAR_TEXT + 8, 2);
}

TEST(aix_ranges_struct_prof_has_its_members)
{
	struct prof p;

	EXPECT_EQ(offsetof(struct prof, p_low), 0);
	EXPECT_EQ(offsetof(struct prof, p_high), 8);
	EXPECT_EQ(offsetof(struct prof, p_buff), 16);
	EXPECT_EQ(offsetof(struct prof, p_bufsize), 24);
	EXPECT_EQ(offsetof(struct prof, p_scale), 28);
	EXPECT_EQ(sizeof(p), 32);
	EXPECT_EQ(sizeof(*p.p_buff), sizeof(unsigned short));
}

static struct prof *one_range(unsigned long bytes, int bufsize, unsigned int scale)
{
	static struct prof range[2];

	range[0].p_low = (caddr_t)TEXT;
	range[0].p_high = (caddr_t)(TEXT + bytes);
	range[0].p_buff = a;
	range[0].p_bufsize = bufsize;
	range[0].p_scale = scale;
	return range;
}

TEST(aix_ranges_p_low_is_the_first_pc)
{
	EXPECT_OK(profil(two, -1, 0, 0));
	EXPECT_HIT(a, TEXT - 1, NOWHERE);
	EXPECT_HIT(a, TEXT, 0);
}

TEST(aix_ranges_p_high_is_the_end)
{
	EXPECT_OK(profil(one_range(32, sizeof(a), 0x8000), -1, 0, 0));
	EXPECT_HIT(a, TEXT + 29, 7);
	EXPECT_HIT(a, TEXT + 31, 8);
	EXPECT_HIT(a, TEXT + 32, NOWHERE);
}

TEST(aix_ranges_p_bufsize_is_in_bytes)
{
	EXPECT_OK(profil(one_range(256, 8, 0x8000), -1, 0, 0));
	EXPECT_HIT(a, TEXT + 13, 3);
	EXPECT_HIT(a, TEXT + 14, NOWHERE);
}

TEST(aix_ranges_scale_minus_1_is_made_to_fit)
{
	EXPECT_OK(profil(one_range(256, 64, (uint)-1), -1, 0, 0));
	EXPECT_HIT(a, TEXT + 8, 1);
	EXPECT_HIT(a, TEXT + 11, 1);
	EXPECT_HIT(a, TEXT + 12, 2);
	EXPECT_HIT(a, TEXT + 248, 31);
}

TEST(aix_ranges_scale_minus_1_is_at_most_ffff)
{
	EXPECT_OK(profil(one_range(64, sizeof(a), (uint)-1), -1, 0, 0));
	EXPECT_HIT(a, TEXT + 2, 1);
	EXPECT_HIT(a, TEXT + 40, 20);
	EXPECT_HIT(a, TEXT + 63, 31);
}

TEST(aix_ranges_other_scales_are_as_in_the_first_form)
{
	EXPECT_OK(profil(one_range(256, sizeof(a), 0x18000), -1, 0, 0));
	EXPECT_HIT(a, TEXT + 0x12, 5);
	EXPECT_OK(profil(off, -1, 0, 0));
	EXPECT_OK(profil(one_range(256, sizeof(a), 2), -1, 0, 0));
	EXPECT_HIT(a, TEXT + 255, 0);
	EXPECT_OK(profil(off, -1, 0, 0));
	EXPECT_OK(profil(one_range(256, sizeof(a), 0xffff), -1, 0, 0));
	EXPECT_HIT(a, TEXT + 4, 2);
}

TEST(aix_ranges_scale_0_or_1_turns_that_range_off)
{
	struct prof three[] = { two[0], two[1], two[2] };

	three[0].p_scale = 1;
	EXPECT_OK(profil(three, -1, 0, 0));
	EXPECT_HIT(a, TEXT, NOWHERE);
	EXPECT_HIT(b, FAR_TEXT, 0);
}

TEST(aix_ranges_p_high_must_ascend)
{
	struct prof wrong[] = { two[1], two[0], two[2] };
	struct prof equal[] = { two[0], two[0], two[2] };

	EXPECT_EQ(profil(wrong, -1, 0, 0), -1);
	EXPECT_EQ(profil(equal, -1, 0, 0), -1);
	EXPECT(!profile_is_on());
}

TEST(aix_ranges_end_with_p_high_0)
{
	struct prof three[] = { two[0], two[2], two[1] };

	EXPECT_OK(profil(three, -1, 0, 0));
	EXPECT_HIT(a, TEXT, 0);
	EXPECT_HIT(b, FAR_TEXT, NOWHERE);
}

TEST(aix_ranges_other_fields_of_the_last_are_ignored)
{
	struct prof three[] = { two[0], two[1], { 0, 0, 0, 0, 0 } };

	three[2].p_low = (caddr_t)-1L;
	three[2].p_buff = KERNEL_ADDRESS;
	three[2].p_bufsize = -5;
	three[2].p_scale = 77;
	EXPECT_OK(profil(three, -1, 0, 0));
	EXPECT_HIT(b, FAR_TEXT, 0);
}

TEST(aix_ranges_may_be_parts_of_one_buffer)
{
	struct prof three[] = { two[0], two[1], two[2] };

	three[0].p_buff = buf;
	three[0].p_bufsize = 20;
	three[1].p_buff = buf + 10;
	three[1].p_bufsize = 20;
	EXPECT_OK(profil(three, -1, 0, 0));
	EXPECT_HIT(buf, TEXT + 36, 9);
	EXPECT_HIT(buf, FAR_TEXT, 10);
	EXPECT_HIT(buf, TEXT + 40, NOWHERE);
}

TEST(aix_ranges_count_stays_at_ushrt_max)
{
	a[0] = 65534;
	EXPECT_OK(profil(two, -1, 0, 0));
	spin(TEXT, 3);
	EXPECT_EQ(a[0], 65535);
}

TEST(aix_ranges_are_turned_off_by_a_first_p_high_of_0)
{
	EXPECT_OK(profil(two, -1, 0, 0));
	spin(TEXT, 1);
	EXPECT_OK(profil(off, -1, 0, 0));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(a), 1);
}

/* --- both --------------------------------------------------------------------- */

static void child_counts_on(void)
{
	spin(TEXT, 2);
	EXPECT_EQ(buf[0], 3);
}

TEST(aix_profil_stays_on_in_fork_child)
{
	EXPECT_OK(on());
	spin(TEXT, 1);
	EXPECT(in_child(child_counts_on));
}

TEST(aix_profil_stays_on_in_fork_parent)
{
	EXPECT_OK(on());
	spin(TEXT, 1);
	EXPECT(in_child(child_counts_on));
	spin(TEXT, 1);
	EXPECT_EQ(buf[0], 2);
}

static void child_is_on_already(void)
{
	EXPECT_OK(profil(two, -1, 0, 0));
	child_counts_on();
}

TEST(aix_profil_fork_child_is_on_already)
{
	EXPECT_OK(on());
	spin(TEXT, 1);
	EXPECT(in_child(child_is_on_already));
}

ROLE(run_unprofiled)
{
	EXPECT(!profile_is_on());
	spend(argument, IDLE_MS);
	EXPECT_EQ(profile_ticks(), 0);
	EXPECT_OK(on());
	EXPECT_HIT(buf, TEXT, 0);
	return 0;
}

TEST(aix_profil_exec_turns_off)
{
	EXPECT_OK(on());
	EXPECT(in_program("run_unprofiled", TEXT));
	become("run_unprofiled", TEXT);
}

TEST(aix_profil_second_form_does_not_turn_off_the_first)
{
	EXPECT_OK(on());
	EXPECT_OK(profil(off, -1, 0, 0));
	EXPECT_HIT(buf, TEXT, 0);
}

TEST(aix_profil_first_form_does_not_turn_off_the_second)
{
	EXPECT_OK(profil(two, -1, 0, 0));
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0));
	EXPECT_OK(profil(0, 0, 0, 0));
	EXPECT_HIT(a, TEXT, 0);
}

TEST(aix_profil_turning_on_twice_is_ineffective)
{
	EXPECT_OK(on());
	EXPECT_OK(profil(a, sizeof(a), TEXT, 0x4000));
	EXPECT_HIT(buf, TEXT + 8, 2);
	EXPECT_EQ(SUM(a), 0);
}

TEST(aix_profil_turning_on_twice_with_both_forms_is_ineffective)
{
	EXPECT_OK(on());
	EXPECT_OK(profil(two, -1, 0, 0));
	EXPECT_HIT(buf, TEXT, 0);
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0));
	EXPECT_OK(profil(two, -1, 0, 0));
	EXPECT_OK(on());
	EXPECT_HIT(a, TEXT, 0);
	EXPECT_EQ(SUM(buf), 0);
}

TEST(aix_profil_turning_off_twice_is_ineffective)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0));
	EXPECT_OK(on());
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0));
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0));
	EXPECT_OK(profil(off, -1, 0, 0));
	EXPECT(!profile_is_on());
}

TEST(aix_profil_can_be_turned_on_again_after_off)
{
	EXPECT_OK(on());
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0));
	EXPECT_OK(profil(a, sizeof(a), TEXT, 0x8000));
	EXPECT_HIT(a, TEXT, 0);
}

TEST(aix_profil_returns_0)
{
	EXPECT_OK(on());
	EXPECT_OK(profil(0, 0, 0, 0));
	EXPECT_OK(profil(two, -1, 0, 0));
	EXPECT_OK(profil(off, -1, 0, 0));
}

TEST(aix_profil_bad_buffer_is_efault)
{
	char *constant = pages(PAGE);

	EXPECT_ERRNO(profil(NULL, 64, TEXT, 0x8000), EFAULT);
	EXPECT_ERRNO(profil(NOT_MAPPED, 64, TEXT, 0x8000), EFAULT);
	EXPECT_ERRNO(profil(KERNEL_ADDRESS, 64, TEXT, 0x8000), EFAULT);
	protect(constant, PAGE);
	EXPECT_ERRNO(profil(constant, 64, TEXT, 0x8000), EFAULT);
	EXPECT(!profile_is_on());
}

TEST(aix_profil_buffer_that_ends_too_soon_is_efault)
{
	char *last = pages(PAGE);

	EXPECT_ERRNO(profil(last, 2 * PAGE, TEXT, 0x8000), EFAULT);
	EXPECT_OK(profil(last, PAGE, TEXT, 0x8000));
}

TEST(aix_ranges_bad_array_is_efault)
{
	EXPECT_ERRNO(profil(NULL, -1, 0, 0), EFAULT);
	EXPECT_ERRNO(profil(NOT_MAPPED, -1, 0, 0), EFAULT);
	EXPECT_ERRNO(profil(KERNEL_ADDRESS, -1, 0, 0), EFAULT);
}

TEST(aix_ranges_bad_p_buff_is_efault)
{
	struct prof three[] = { two[0], two[1], two[2] };

	three[1].p_buff = NOT_MAPPED;
	EXPECT_ERRNO(profil(three, -1, 0, 0), EFAULT);
	three[1].p_buff = KERNEL_ADDRESS;
	EXPECT_ERRNO(profil(three, -1, 0, 0), EFAULT);
	EXPECT(!profile_is_on());
}

TEST(aix_ranges_p_high_not_ascending_is_einval)
{
	struct prof wrong[] = { two[1], two[0], two[2] };

	EXPECT_ERRNO(profil(wrong, -1, 0, 0), EINVAL);
}

TEST(aix_ranges_p_high_not_above_p_low_is_einval)
{
	struct prof *range = one_range(0, sizeof(a), 0x8000);

	EXPECT_ERRNO(profil(range, -1, 0, 0), EINVAL);
}

TEST(aix_profil_buffer_lost_while_on_turns_off)
{
	unsigned short *lost = pages(PAGE);

	EXPECT_OK(profil(lost, PAGE, TEXT, 0x8000));
	spin(TEXT, 1);
	unmap(lost, PAGE);
	spin_until_off(TEXT);
	EXPECT_OK(on());
	EXPECT_HIT(buf, TEXT, 0);
}

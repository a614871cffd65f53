// SPDX-License-Identifier: LGPL-2.1-or-later
/* IRIX: sprofil(2), and profil(2) as a special case of it. */
#include <sys/time.h>
#include <sys/profil.h>
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "harness.h"

static unsigned short a[64], b[64], c[64], bin[4];
static unsigned int wide[64];

static struct prof text = { a, sizeof(a), TEXT, 0x8000 };
static struct prof text_and_bin[] = {
	{ a, sizeof(a), TEXT, 0x8000 },
	{ bin, sizeof(bin), 0, 2 },
};

TEST(irix_sprofil_takes_array_count_timeval_and_flags)
{
	int (*call)(struct prof *, int, struct timeval *, unsigned int) = sprofil;

	EXPECT_OK(call(&text, 1, NULL, PROF_USHORT));
	EXPECT(profile_is_on());
}

TEST(irix_sprofil_counts_cpu_time_only)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	idle(100);
	EXPECT_EQ(profile_ticks(), 0);
	spend(TEXT, 200);
	EXPECT_NEAR(a[0], 20, 2);
}

TEST(irix_sprofil_profiles_disjoint_text_spaces)
{
	struct prof two[] = {
		{ a, sizeof(a), TEXT, 0x8000 },
		{ b, sizeof(b), FAR_TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 4, 1);
	EXPECT_HIT(b, FAR_TEXT + 8, 2);
	EXPECT_HIT(a, TEXT + PAGE, NOWHERE);
	EXPECT_EQ(SUM(b), 0);
}

TEST(irix_sprofil_regions_have_a_granularity_each)
{
	struct prof two[] = {
		{ a, sizeof(a), TEXT, 0x8000 },
		{ b, sizeof(b), FAR_TEXT, 0x100 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 40, 10);
	EXPECT_HIT(b, FAR_TEXT + 511, 0);
	EXPECT_HIT(b, FAR_TEXT + 512, 1);
}

TEST(irix_sprofil_counts_in_each_element_of_the_array)
{
	static unsigned short counter[20];
	static struct prof entry[20];
	int i;

	for (i = 0; i < 20; i++) {
		entry[i].pr_base = &counter[i];
		entry[i].pr_size = sizeof(counter[i]);
		entry[i].pr_off = TEXT + 64 * (unsigned long)((i * 7) % 20);
		entry[i].pr_scale = 0x8000;
	}
	EXPECT_OK(sprofil(entry, 20, NULL, PROF_USHORT));
	for (i = 0; i < 20; i++)
		EXPECT_HIT(counter, entry[i].pr_off + 1, i);
}

TEST(irix_sprofil_struct_prof_has_the_four_members)
{
	struct prof p;

	EXPECT_EQ(sizeof(p), 32);
	EXPECT_EQ(offsetof(struct prof, pr_base), 0);
	EXPECT_EQ(offsetof(struct prof, pr_size), 8);
	EXPECT_EQ(offsetof(struct prof, pr_off), 16);
	EXPECT_EQ(offsetof(struct prof, pr_scale), 24);
	EXPECT_EQ(sizeof(p.pr_size), sizeof(unsigned));
	EXPECT_EQ(sizeof(p.pr_off), sizeof(__psunsigned_t));
	EXPECT_EQ(sizeof(p.pr_scale), sizeof(unsigned));
}

/* What lies between the members is not the caller's to clear. */
TEST(irix_sprofil_padding_of_struct_prof_has_no_meaning)
{
	union {
		struct prof prof;
		unsigned char byte[sizeof(struct prof)];
	} entry;
	unsigned int i;

	for (i = 0; i < sizeof(entry); i++)
		entry.byte[i] = 0xee;
	entry.prof.pr_base = a;
	entry.prof.pr_size = sizeof(a);
	entry.prof.pr_off = TEXT;
	entry.prof.pr_scale = 0x8000;
	EXPECT_OK(sprofil(&entry.prof, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 12, 3);
	EXPECT_HIT(a, TEXT + 2 * sizeof(a), NOWHERE);
}

TEST(irix_sprofil_fields_mean_what_profils_arguments_mean)
{
	struct prof one = { a, sizeof(a), TEXT, 0xc000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 3, 1);
	EXPECT_HIT(a, TEXT + 16, 6);
	EXPECT_OK(profil(a, sizeof(a), TEXT, 0xc000));
	EXPECT_HIT(a, TEXT + 3, 1);
	EXPECT_HIT(a, TEXT + 16, 6);
}

TEST(irix_sprofil_pr_size_is_in_bytes)
{
	struct prof one = { a, 16, TEXT, 0x8000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 31, 7);
	EXPECT_HIT(a, TEXT + 32, NOWHERE);
	one.pr_base = wide;
	one.pr_scale = 0x10000;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	EXPECT_HIT(wide, TEXT + 15, 3);
	EXPECT_HIT(wide, TEXT + 16, NOWHERE);
}

TEST(irix_sprofil_counts_are_stored_at_pr_base)
{
	struct prof one = { a + 5, 20, TEXT, 0x8000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT, 5);
	EXPECT_HIT(a, TEXT + 36, 14);
}

TEST(irix_sprofil_region_is_given_by_offset_scale_and_size)
{
	struct prof one = { a, 32, TEXT + 100, 0x4000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 99, NOWHERE);
	EXPECT_HIT(a, TEXT + 100, 0);
	EXPECT_HIT(a, TEXT + 227, 15);
	EXPECT_HIT(a, TEXT + 228, NOWHERE);
}

TEST(irix_sprofil_pr_off_is_where_the_region_starts)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT - 1, NOWHERE);
	EXPECT_HIT(a, TEXT, 0);
}

TEST(irix_sprofil_tvp_gets_one_clock_tick)
{
	struct timeval tick = { 7, 7 };

	EXPECT_OK(sprofil(&text, 1, &tick, PROF_USHORT));
	EXPECT_EQ(tick.tv_sec, 0);
	EXPECT_EQ(tick.tv_usec, 1000000 / sysconf(_SC_CLK_TCK));
}

TEST(irix_sprofil_tvp_is_the_time_between_counts)
{
	struct timeval tick;

	EXPECT_OK(sprofil(&text, 1, &tick, PROF_USHORT));
	spend(TEXT, 300);
	EXPECT_NEAR(a[0] * tick.tv_usec, 300000, 2 * tick.tv_usec);
}

TEST(irix_sprofil_tvp_may_be_null)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT, 0);
}

TEST(irix_sprofil_ushort_counters_have_2_bytes)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT + 4, 1);
	EXPECT_EQ(a[1], 1);
	EXPECT_EQ(SUM(a), 1);
}

TEST(irix_sprofil_uint_counters_have_4_bytes)
{
	struct prof one = { wide, sizeof(wide), TEXT, 0x10000 };

	wide[1] = 0x1ffff;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	spin(TEXT + 4, 1);
	EXPECT_EQ(wide[1], 0x20000);
}

TEST(irix_sprofil_flags_have_their_values)
{
	EXPECT_EQ(PROF_USHORT, 1);
	EXPECT_EQ(PROF_UINT, 2);
	EXPECT_EQ(PROF_FAST, 4);
	EXPECT_EQ(PROF_FAST_CNT, 10);
}

TEST(irix_sprofil_ushort_and_8000_is_an_instruction_per_counter)
{
	int i;

	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	for (i = 0; i < 8; i++)
		EXPECT_HIT(a, TEXT + 4 * (unsigned long)i, i);
}

TEST(irix_sprofil_uint_and_10000_is_an_instruction_per_counter)
{
	struct prof one = { wide, sizeof(wide), TEXT, 0x10000 };
	int i;

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	for (i = 0; i < 8; i++)
		EXPECT_HIT(wide, TEXT + 4 * (unsigned long)i, i);
}

TEST(irix_sprofil_uint_one_to_one_takes_twice_the_space)
{
	struct prof one = { a, 32, TEXT, 0x8000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 60, 15);
	EXPECT_HIT(a, TEXT + 64, NOWHERE);
	one.pr_base = wide;
	one.pr_size = 64;
	one.pr_scale = 0x10000;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	EXPECT_HIT(wide, TEXT + 60, 15);
	EXPECT_HIT(wide, TEXT + 64, NOWHERE);
}

TEST(irix_sprofil_uint_counts_past_65535)
{
	struct prof one = { wide, sizeof(wide), TEXT, 0x10000 };

	wide[0] = 65535;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	spin(TEXT, 2);
	EXPECT_EQ(wide[0], 65537);
}

TEST(irix_sprofil_ushort_counter_stays_at_65535)
{
	a[0] = 65534;
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT, 3);
	EXPECT_EQ(a[0], 65535);
	spin(TEXT + 4, 1);
	EXPECT_EQ(a[1], 1);
}

TEST(irix_sprofil_uint_counter_stays_at_its_largest)
{
	struct prof one = { wide, sizeof(wide), TEXT, 0x10000 };

	wide[0] = 0xfffffffe;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	spin(TEXT, 3);
	EXPECT_EQ(wide[0], 0xffffffff);
	EXPECT_EQ(wide[1], 0);
}

TEST(irix_sprofil_fast_samples_each_millisecond)
{
	int ms;

	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT | PROF_FAST));
	ms = spend(TEXT, 200);
	EXPECT_OK(profil(0, 0, 0, 0));
	EXPECT_NEAR(a[0], ms, 2);
}

TEST(irix_sprofil_fast_tvp_is_a_millisecond)
{
	struct timeval tick;

	EXPECT_OK(sprofil(&text, 1, &tick, PROF_USHORT | PROF_FAST));
	EXPECT_EQ(tick.tv_sec, 0);
	EXPECT_EQ(tick.tv_usec, 1000);
}

TEST(irix_sprofil_fast_works_with_uint)
{
	struct prof one = { wide, sizeof(wide), TEXT, 0x10000 };
	int ms;

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT | PROF_FAST));
	ms = spend(TEXT + 8, 100);
	EXPECT_OK(profil(0, 0, 0, 0));
	EXPECT_NEAR(wide[2], ms, 2);
}

TEST(irix_sprofil_restrict_fastprof_disables_fast)
{
	EXPECT_EQ(set_parameter("restrict_fastprof", "1"), 0);
	EXPECT_EQ(sprofil(&text, 1, NULL, PROF_USHORT | PROF_FAST), -1);
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	EXPECT_EQ(set_parameter("restrict_fastprof", "0"), 0);
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT | PROF_FAST));
}

TEST(irix_sprofil_largest_offset_below_pc_wins)
{
	struct prof three[] = {
		{ a, sizeof(a), TEXT, 0x8000 },
		{ c, 16, TEXT + 64, 0x8000 },
		{ b, 64, TEXT + 32, 0x8000 },
	};

	EXPECT_OK(sprofil(three, 3, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 31, 7);
	EXPECT_HIT(b, TEXT + 33, 0);
	EXPECT_HIT(b, TEXT + 63, 7);
	EXPECT_HIT(c, TEXT + 65, 0);
	EXPECT_HIT(c, TEXT + 95, 7);
}

TEST(irix_sprofil_pc_at_an_offset_belongs_to_that_region)
{
	struct prof two[] = {
		{ a, sizeof(a), TEXT, 0x8000 },
		{ b, sizeof(b), TEXT + 32, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(b, TEXT + 32, 0);
	EXPECT_EQ(SUM(a), 0);
}

TEST(irix_sprofil_past_the_inner_region_the_outer_counts)
{
	struct prof two[] = {
		{ a, sizeof(a), TEXT, 0x8000 },
		{ b, 8, TEXT + 32, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(b, TEXT + 47, 3);
	EXPECT_HIT(a, TEXT + 48, 12);
}

TEST(irix_sprofil_first_of_equal_offsets_wins)
{
	struct prof three[] = {
		{ a, 32, TEXT, 0x8000 },
		{ b, 64, TEXT, 0x8000 },
		{ c, 128, TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(three, 3, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 4, 1);
	EXPECT_HIT(b, TEXT + 64, 16);
	EXPECT_HIT(c, TEXT + 128, 32);
}

TEST(irix_sprofil_offset_0_scale_2_is_an_overflow_bin)
{
	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	EXPECT_HIT(bin, TEXT + PAGE, 0);
	EXPECT_EQ(SUM(a), 0);
}

TEST(irix_sprofil_overflow_bin_takes_every_other_pc)
{
	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	EXPECT_HIT(bin, TEXT - 1, 0);
	EXPECT_HIT(bin, 0x20000, 0);
	EXPECT_HIT(bin, FAR_TEXT, 0);
	EXPECT_HIT(a, TEXT, 0);
	EXPECT_HIT(bin, TEXT + 2 * sizeof(a), 0);
}

TEST(irix_sprofil_overflow_bin_uses_its_first_counter_only)
{
	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	spin(FAR_TEXT, 3);
	EXPECT_EQ(bin[0], 3);
	EXPECT_EQ(SUM(bin), 3);
}

TEST(irix_sprofil_overflow_bin_may_be_alone)
{
	EXPECT_OK(sprofil(&text_and_bin[1], 1, NULL, PROF_USHORT));
	EXPECT_HIT(bin, TEXT, 0);
}

TEST(irix_sprofil_scale_2_elsewhere_is_a_scale)
{
	struct prof one = { a, sizeof(a), TEXT, 2 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 65535, 0);
	EXPECT_HIT(a, TEXT + 65536, 1);
	EXPECT_HIT(a, TEXT - 1, NOWHERE);
}

TEST(irix_sprofil_overflow_bin_not_last_is_an_error)
{
	struct prof three[] = { text_and_bin[0], text_and_bin[1],
				text_and_bin[0] };

	EXPECT_EQ(sprofil(three, 3, NULL, PROF_USHORT), -1);
	EXPECT_EQ(sprofil(three, 2, NULL, PROF_USHORT), 0);
}

TEST(irix_sprofil_count_0_is_e2big)
{
	EXPECT_ERRNO(sprofil(&text, 0, NULL, PROF_USHORT), E2BIG);
}

TEST(irix_sprofil_negative_count_is_e2big)
{
	EXPECT_ERRNO(sprofil(&text, -1, NULL, PROF_USHORT), E2BIG);
}

static struct prof many[PROFIL_MAX + 1];

static void fill_many(void)
{
	int i;

	for (i = 0; i <= PROFIL_MAX; i++) {
		many[i] = text;
		many[i].pr_off += 1000 * (unsigned long)i;
	}
}

TEST(irix_sprofil_more_than_profil_max_is_e2big)
{
	fill_many();
	EXPECT_ERRNO(sprofil(many, PROFIL_MAX + 1, NULL, PROF_USHORT), E2BIG);
}

TEST(irix_sprofil_takes_profil_max_regions)
{
	fill_many();
	many[PROFIL_MAX - 1].pr_base = b;
	EXPECT_OK(sprofil(many, PROFIL_MAX, NULL, PROF_USHORT));
	EXPECT_HIT(b, many[PROFIL_MAX - 1].pr_off + 4, 1);
}

TEST(irix_sprofil_bad_profp_is_efault)
{
	struct prof *end = (struct prof *)((char *)pages(PAGE) + PAGE);

	EXPECT_ERRNO(sprofil(NULL, 1, NULL, PROF_USHORT), EFAULT);
	EXPECT_ERRNO(sprofil(NOT_MAPPED, 1, NULL, PROF_USHORT), EFAULT);
	EXPECT_ERRNO(sprofil(KERNEL_ADDRESS, 1, NULL, PROF_USHORT), EFAULT);
	end[-1] = text;
	EXPECT_OK(sprofil(end - 1, 1, NULL, PROF_USHORT));
	EXPECT_ERRNO(sprofil(end - 1, 2, NULL, PROF_USHORT), EFAULT);
}

TEST(irix_sprofil_bad_tvp_is_efault)
{
	struct timeval *constant = pages(PAGE);

	EXPECT_ERRNO(sprofil(&text, 1, NOT_MAPPED, PROF_USHORT), EFAULT);
	EXPECT_ERRNO(sprofil(&text, 1, KERNEL_ADDRESS, PROF_USHORT), EFAULT);
	protect(constant, PAGE);
	EXPECT_ERRNO(sprofil(&text, 1, constant, PROF_USHORT), EFAULT);
	EXPECT(!profile_is_on());
}

TEST(irix_sprofil_overflow_bin_not_last_is_einval)
{
	struct prof two[] = { text_and_bin[1], text_and_bin[0] };

	EXPECT_ERRNO(sprofil(two, 2, NULL, PROF_USHORT), EINVAL);
}

TEST(irix_sprofil_flags_without_a_width_are_einval)
{
	EXPECT_ERRNO(sprofil(&text, 1, NULL, 0), EINVAL);
	EXPECT_ERRNO(sprofil(&text, 1, NULL, PROF_FAST), EINVAL);
}

TEST(irix_sprofil_flags_with_two_widths_are_einval)
{
	EXPECT_ERRNO(sprofil(&text, 1, NULL, PROF_USHORT | PROF_UINT), EINVAL);
}

TEST(irix_sprofil_fast_while_restricted_is_eacces)
{
	EXPECT_EQ(set_parameter("restrict_fastprof", "1"), 0);
	EXPECT_ERRNO(sprofil(&text, 1, NULL, PROF_USHORT | PROF_FAST), EACCES);
	EXPECT_ERRNO(sprofil(&text, 0, NULL, PROF_FAST), EACCES);
	EXPECT_EQ(set_parameter("restrict_fastprof", "0"), 0);
}

TEST(irix_sprofil_returns_0)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	EXPECT_OK(profil(0, 0, 0, 0));
}

TEST(irix_sprofil_error_leaves_the_profile_as_it_was)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	EXPECT_ERRNO(sprofil(&text, 0, NULL, PROF_USHORT), E2BIG);
	EXPECT_ERRNO(sprofil(&text, 1, NULL, 0), EINVAL);
	EXPECT_ERRNO(sprofil(NULL, 1, NULL, PROF_USHORT), EFAULT);
	EXPECT_HIT(a, TEXT, 0);
}

TEST(irix_sprofil_each_call_disables_the_one_before)
{
	struct prof next = { b, sizeof(b), TEXT, 0x8000 };

	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	spin(TEXT, 1);
	EXPECT_OK(sprofil(&next, 1, NULL, PROF_USHORT));
	spin(TEXT, 2);
	spin(FAR_TEXT, 1);
	EXPECT_EQ(SUM(a), 1);
	EXPECT_EQ(SUM(b), 2);
	EXPECT_EQ(SUM(bin), 0);
}

static void region_is_off(unsigned int size, unsigned int scale)
{
	struct prof two[] = {
		{ a, size, TEXT, scale },
		{ b, sizeof(b), FAR_TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT, NOWHERE);
	EXPECT_HIT(b, FAR_TEXT, 0);
}

TEST(irix_sprofil_scale_0_region_is_off)
{
	region_is_off(sizeof(a), 0);
}

TEST(irix_sprofil_scale_1_region_is_off)
{
	region_is_off(sizeof(a), 1);
}

TEST(irix_sprofil_size_0_region_is_ineffective)
{
	region_is_off(0, 0x8000);
}

TEST(irix_sprofil_only_regions_that_are_off_turn_off)
{
	struct prof off = { a, sizeof(a), TEXT, 0 };

	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT, 1);
	EXPECT_OK(sprofil(&off, 1, NULL, PROF_USHORT));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(a), 1);
}

TEST(irix_sprofil_memory_fault_turns_off_that_region)
{
	unsigned short *lost = pages(PAGE);
	struct prof two[] = {
		{ lost, PAGE, FAR_TEXT, 0x8000 },
		{ a, sizeof(a), TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	spin(FAR_TEXT, 1);
	unmap(lost, PAGE);
	spend(FAR_TEXT, IDLE_MS);
	EXPECT_HIT(a, TEXT, 0);
}

TEST(irix_sprofil_region_stays_off_after_its_memory_fault)
{
	unsigned short *lost = pages(2 * PAGE);
	struct prof two[] = {
		{ lost, 2 * PAGE, FAR_TEXT, 0x8000 },
		{ a, sizeof(a), TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	spin(FAR_TEXT, 1);
	unmap((char *)lost + PAGE, PAGE);
	spend(FAR_TEXT + 2 * PAGE, IDLE_MS);
	spend(FAR_TEXT, IDLE_MS);
	EXPECT_EQ(lost[0], 1);
	EXPECT_HIT(a, TEXT, 0);
}

TEST(irix_sprofil_bad_buffer_is_found_at_the_tick)
{
	struct prof two[] = {
		{ NOT_MAPPED, 64, FAR_TEXT, 0x8000 },
		{ a, sizeof(a), TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	spend(FAR_TEXT, IDLE_MS);
	EXPECT_HIT(a, TEXT, 0);
}

TEST(irix_sprofil_takes_any_buffer_without_complaint)
{
	struct prof two[] = {
		{ KERNEL_ADDRESS, 64, FAR_TEXT, 0x8000 },
		{ a, sizeof(a), TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	spend(FAR_TEXT, IDLE_MS);
	EXPECT_HIT(a, TEXT, 0);
}

ROLE(run_unprofiled)
{
	EXPECT(!profile_is_on());
	spend(argument, IDLE_MS);
	EXPECT_EQ(profile_ticks(), 0);
	return 0;
}

TEST(irix_sprofil_exec_turns_off)
{
	struct prof one = { shared_pages(PAGE), PAGE, TEXT, 0x8000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT(in_program("run_unprofiled", TEXT));
	EXPECT_EQ(sum(one.pr_base, PAGE / 2, 2), 0);
	become("run_unprofiled", TEXT);
}

static void child_counts_on(void)
{
	spin(TEXT, 2);
	spin(FAR_TEXT, 1);
	EXPECT_EQ(a[0], 3);
	EXPECT_EQ(bin[0], 1);
}

TEST(irix_sprofil_stays_on_in_fork_child)
{
	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	spin(TEXT, 1);
	EXPECT(in_child(child_counts_on));
}

TEST(irix_sprofil_stays_on_in_fork_parent)
{
	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	spin(TEXT, 1);
	EXPECT(in_child(child_counts_on));
	EXPECT_EQ(bin[0], 0);
	spin(TEXT, 1);
	EXPECT_EQ(a[0], 2);
}

static void sproc_counts_on(void)
{
	spin(TEXT + 4, 2);
}

TEST(irix_sprofil_stays_on_in_sproc_child)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT, 1);
	EXPECT(in_sharing_process(sproc_counts_on));
	spin(TEXT, 1);
	EXPECT_OK(profil(0, 0, 0, 0));
	EXPECT_EQ(a[0], 2);
	EXPECT_EQ(a[1], 2);
}

TEST(irix_profil_is_sprofil_with_one_ushort_region)
{
	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	EXPECT_OK(profil(b, sizeof(b), TEXT, 0x8000));
	EXPECT_HIT(b, TEXT + 4, 1);
	EXPECT_HIT(bin, FAR_TEXT, NOWHERE);
	EXPECT_EQ(SUM(a), 0);
}

TEST(irix_profil_with_offset_0_and_scale_2_is_an_overflow_bin)
{
	EXPECT_OK(profil(bin, sizeof(bin), 0, 2));
	EXPECT_HIT(bin, TEXT, 0);
	EXPECT_HIT(bin, FAR_TEXT, 0);
}

TEST(irix_profil_turns_off_with_scale_0)
{
	EXPECT_OK(profil(a, sizeof(a), TEXT, 0x8000));
	spin(TEXT, 1);
	EXPECT_OK(profil(0, 0, 0, 0));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(a), 1);
}

TEST(irix_profil_counts_up_to_65535)
{
	a[0] = 32767;
	a[1] = 65535;
	EXPECT_OK(profil(a, sizeof(a), TEXT, 0x8000));
	spin(TEXT, 1);
	spin(TEXT + 4, 1);
	EXPECT_EQ(a[0], 32768);
	EXPECT_EQ(a[1], 65535);
}

TEST(irix_sprofil_largest_scale_is_used_with_all_its_bits)
{
	unsigned int *counter = pages(16 * 65536);
	struct prof one = { counter, 16 * 65536, TEXT, 0xffffffff };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	spin(TEXT, 1);
	spin(TEXT + 15, 2);
	EXPECT_EQ(counter[0], 1);
	EXPECT_EQ(counter[(15 * 0xffffffffUL >> 16) / 4], 2);
}

TEST(irix_sprofil_count_0_does_not_turn_off)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	EXPECT_EQ(sprofil(NULL, 0, NULL, PROF_USHORT), -1);
	EXPECT_HIT(a, TEXT, 0);
}

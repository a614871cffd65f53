// SPDX-License-Identifier: LGPL-2.1-or-later
/* HP-UX: sprofil(2) and profil(2). */
#include <sys/time.h>
#include <sys/profil.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

static unsigned short a[64], b[64], c[64], bin;
static unsigned int wide[64];
static uint64_t huge[64];

static struct prof text = { a, sizeof(a), (void *)TEXT, 0x8000 };
static struct prof text_and_bin[] = {
	{ a, sizeof(a), (void *)TEXT, 0x8000 },
	{ &bin, sizeof(bin), 0, 2 },
};

TEST(hpux_sprofil_takes_array_count_timeval_and_flags)
{
	int (*call)(struct prof *, int, struct timeval *, unsigned int) = sprofil;

	EXPECT_OK(call(&text, 1, NULL, PROF_USHORT));
	EXPECT(profile_is_on());
}

TEST(hpux_sprofil_struct_prof_has_pr_offset_as_a_pointer)
{
	struct prof p;
	void **offset = &p.pr_offset;

	*offset = p.pr_base = a;
	EXPECT_EQ(sizeof(p), 32);
	EXPECT_EQ(offsetof(struct prof, pr_size), 8);
	EXPECT_EQ(offsetof(struct prof, pr_offset), 16);
	EXPECT_EQ(offsetof(struct prof, pr_scale), 24);
}

TEST(hpux_sprofil_counter_at_pr_base_is_incremented)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT + 20, 1);
	EXPECT_EQ(a[5], 1);
	spin(TEXT + 20, 2);
	EXPECT_EQ(a[5], 3);
	EXPECT_EQ(SUM(a), 3);
}

TEST(hpux_sprofil_ushort_counter_does_not_overflow)
{
	a[0] = 65534;
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT, 3);
	spin(TEXT + 4, 1);
	EXPECT_EQ(a[0], 65535);
	EXPECT_EQ(a[1], 1);
}

TEST(hpux_sprofil_uint_counter_does_not_overflow)
{
	struct prof one = { wide, sizeof(wide), (void *)TEXT, 0x10000 };

	wide[0] = 0xfffffffe;
	wide[1] = 65535;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	spin(TEXT, 3);
	spin(TEXT + 4, 1);
	EXPECT_EQ(wide[0], 0xffffffff);
	EXPECT_EQ(wide[1], 65536);
}

TEST(hpux_sprofil_uint64_counter_does_not_overflow)
{
	struct prof one = { huge, sizeof(huge), (void *)TEXT, 0x10000 };

	huge[0] = UINT64_MAX - 1;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT64));
	spin(TEXT, 3);
	EXPECT(huge[0] == UINT64_MAX);
	EXPECT_EQ(huge[1], 0);
}

TEST(hpux_sprofil_uint64_counts_past_32_bits)
{
	struct prof one = { huge, sizeof(huge), (void *)TEXT, 0x10000 };

	huge[0] = 0xffffffff;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT64));
	spin(TEXT, 2);
	EXPECT(huge[0] == 0x100000001);
}

TEST(hpux_sprofil_overflow_bin_does_not_overflow)
{
	bin = 65534;
	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	spin(FAR_TEXT, 3);
	EXPECT_EQ(bin, 65535);
}

TEST(hpux_sprofil_each_call_disables_and_enables_anew)
{
	struct prof next = { b, sizeof(b), (void *)TEXT, 0x8000 };

	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	spin(TEXT, 1);
	EXPECT_OK(sprofil(&next, 1, NULL, PROF_USHORT));
	spin(TEXT, 2);
	spin(FAR_TEXT, 1);
	EXPECT_EQ(SUM(a), 1);
	EXPECT_EQ(SUM(b), 2);
	EXPECT_EQ(bin, 0);
}

TEST(hpux_sprofil_enables_all_regions_of_the_array)
{
	struct prof two[] = {
		{ a, sizeof(a), (void *)TEXT, 0x8000 },
		{ b, sizeof(b), (void *)FAR_TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 8, 2);
	EXPECT_HIT(b, FAR_TEXT + 12, 3);
}

/*
 * The tables, in quarters of an instruction per counter. Each pc is
 * tried on both sides of the boundary between counters 2 and 3.
 */
static void follows_table(unsigned int instruction, unsigned int scale,
			  unsigned long quarters, void *counters, int width,
			  unsigned int flag)
{
	struct prof one = { counters, 512, (void *)TEXT, scale };
	unsigned long bytes = quarters * instruction / 4;

	EXPECT_OK(sprofil(&one, 1, NULL, flag));
	spin(TEXT + 3 * bytes - 1, 1);
	EXPECT_EQ(which(counters, 512 / (unsigned long)width, width), 2);
	spin(TEXT + 3 * bytes, 1);
	EXPECT_EQ(which(counters, 512 / (unsigned long)width, width), 3);
}

/* Instructions per counter, times 4, at scale 2; it halves with each row. */
static void follows_column(unsigned int instruction, unsigned long quarters,
			   unsigned int last, int width, unsigned int flag)
{
	void *counters = pages(PAGE);
	unsigned int scale;

	for (scale = 2; scale <= last; scale *= 2, quarters /= 2)
		follows_table(instruction, scale, quarters, counters, width,
			      flag);
}

TEST(hpux_sprofil_pa_risc_table_ushort)
{
	follows_column(4, 4 * 16384, 32768, 2, PROF_USHORT);
}

TEST(hpux_sprofil_pa_risc_table_uint)
{
	follows_column(4, 4 * 32768, 65536, 4, PROF_UINT);
}

TEST(hpux_sprofil_pa_risc_table_uint64)
{
	follows_column(4, 4 * 65536, 131072, 8, PROF_UINT64);
}

TEST(hpux_sprofil_pa_risc_table_below_one_to_one)
{
	void *counters = pages(PAGE);

	follows_table(4, 65536, 2, counters, 2, PROF_USHORT);
	follows_table(4, 131072, 1, counters, 2, PROF_USHORT);
	follows_table(4, 131072, 2, counters, 4, PROF_UINT);
}

TEST(hpux_sprofil_itanium_table_ushort)
{
	follows_column(16, 4 * 4096, 8192, 2, PROF_USHORT);
}

TEST(hpux_sprofil_itanium_table_uint)
{
	follows_column(16, 4 * 8192, 16384, 4, PROF_UINT);
}

TEST(hpux_sprofil_itanium_table_uint64)
{
	follows_column(16, 4 * 16384, 32768, 8, PROF_UINT64);
}

TEST(hpux_sprofil_itanium_table_below_one_to_one)
{
	void *counters = pages(PAGE);

	follows_table(16, 16384, 2, counters, 2, PROF_USHORT);
	follows_table(16, 32768, 1, counters, 2, PROF_USHORT);
	follows_table(16, 32768, 2, counters, 4, PROF_UINT);
}

TEST(hpux_sprofil_pcs_of_one_bundle_share_a_counter)
{
	struct prof one = { a, sizeof(a), (void *)TEXT, 8192 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 16, 1);
	EXPECT_HIT(a, TEXT + 17, 1);
	EXPECT_HIT(a, TEXT + 18, 1);
	EXPECT_HIT(a, TEXT + 31, 1);
}

TEST(hpux_sprofil_uint_one_to_one_takes_twice_the_space_of_ushort)
{
	struct prof one = { a, 32, (void *)TEXT, 32768 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 63, 15);
	EXPECT_HIT(a, TEXT + 64, NOWHERE);
	one = (struct prof){ wide, 64, (void *)TEXT, 65536 };
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	EXPECT_HIT(wide, TEXT + 63, 15);
	EXPECT_HIT(wide, TEXT + 64, NOWHERE);
}

TEST(hpux_sprofil_uint64_one_to_one_takes_twice_the_space_of_uint)
{
	struct prof one = { wide, 64, (void *)TEXT, 65536 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	EXPECT_HIT(wide, TEXT + 63, 15);
	EXPECT_HIT(wide, TEXT + 64, NOWHERE);
	one = (struct prof){ huge, 128, (void *)TEXT, 131072 };
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT64));
	EXPECT_HIT(huge, TEXT + 63, 15);
	EXPECT_HIT(huge, TEXT + 64, NOWHERE);
}

TEST(hpux_sprofil_index_is_scaled_before_it_is_divided)
{
	struct prof one = { wide, sizeof(wide), (void *)TEXT, 0xc000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	EXPECT_HIT(wide, TEXT + 5, 0);
	EXPECT_HIT(wide, TEXT + 6, 1);
	one = (struct prof){ huge, sizeof(huge), (void *)TEXT, 0x8000 };
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT64));
	EXPECT_HIT(huge, TEXT + 100, 6);
}

TEST(hpux_sprofil_largest_offset_below_pc_wins)
{
	struct prof three[] = {
		{ a, sizeof(a), (void *)TEXT, 0x8000 },
		{ b, 64, (void *)(TEXT + 32), 0x8000 },
		{ c, 16, (void *)(TEXT + 64), 0x8000 },
	};

	EXPECT_OK(sprofil(three, 3, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 31, 7);
	EXPECT_HIT(b, TEXT + 32, 0);
	EXPECT_HIT(b, TEXT + 63, 7);
	EXPECT_HIT(c, TEXT + 65, 0);
	EXPECT_HIT(b, TEXT + 96, 16);
}

TEST(hpux_sprofil_first_of_equal_offsets_wins)
{
	struct prof two[] = {
		{ a, 32, (void *)TEXT, 0x8000 },
		{ b, 64, (void *)TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 4, 1);
	EXPECT_HIT(b, TEXT + 64, 16);
}

TEST(hpux_sprofil_offset_0_scale_2_is_an_overflow_bin)
{
	static unsigned short one[1];
	struct prof entry = { one, sizeof(one), 0, 2 };

	EXPECT_OK(sprofil(&entry, 1, NULL, PROF_USHORT));
	EXPECT_HIT(one, TEXT, 0);
}

TEST(hpux_sprofil_overflow_bin_takes_every_other_pc)
{
	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	spin(TEXT - 1, 1);
	spin(0x20000, 1);
	spin(FAR_TEXT, 1);
	spin(TEXT + 2 * sizeof(a), 1);
	EXPECT_EQ(bin, 4);
	EXPECT_HIT(a, TEXT, 0);
	EXPECT_EQ(bin, 4);
}

TEST(hpux_sprofil_overflow_bin_counts_in_the_first_counter)
{
	static uint64_t first[1];
	struct prof two[] = {
		{ huge, sizeof(huge), (void *)TEXT, 0x10000 },
		{ first, sizeof(first), 0, 2 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_UINT64));
	EXPECT_HIT(first, FAR_TEXT, 0);
	EXPECT_HIT(huge, TEXT + 8, 1);
}

TEST(hpux_sprofil_overflow_bin_not_last_is_einval)
{
	struct prof two[] = { text_and_bin[1], text_and_bin[0] };

	EXPECT_ERRNO(sprofil(two, 2, NULL, PROF_USHORT), EINVAL);
}

TEST(hpux_sprofil_overflow_bin_of_two_elements_is_einval)
{
	struct prof two[] = { text, { b, 4, 0, 2 } };

	EXPECT_ERRNO(sprofil(two, 2, NULL, PROF_USHORT), EINVAL);
	two[1].pr_size = 0;
	EXPECT_ERRNO(sprofil(two, 2, NULL, PROF_USHORT), EINVAL);
	two[1].pr_size = 2;
	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
}

TEST(hpux_sprofil_scale_2_elsewhere_is_a_scale)
{
	struct prof one = { a, sizeof(a), (void *)TEXT, 2 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT + 65535, 0);
	EXPECT_HIT(a, TEXT + 65536, 1);
}

TEST(hpux_sprofil_descending_offsets_are_einval)
{
	struct prof two[] = {
		{ b, sizeof(b), (void *)FAR_TEXT, 0x8000 },
		{ a, sizeof(a), (void *)TEXT, 0x8000 },
	};

	EXPECT_ERRNO(sprofil(two, 2, NULL, PROF_USHORT), EINVAL);
}

TEST(hpux_sprofil_size_0_is_einval)
{
	struct prof one = { a, 0, (void *)TEXT, 0x8000 };

	EXPECT_ERRNO(sprofil(&one, 1, NULL, PROF_USHORT), EINVAL);
}

TEST(hpux_sprofil_size_of_no_whole_elements_is_einval)
{
	struct prof one = { huge, 15, (void *)TEXT, 0x8000 };

	EXPECT_ERRNO(sprofil(&one, 1, NULL, PROF_USHORT), EINVAL);
	one.pr_size = 14;
	EXPECT_ERRNO(sprofil(&one, 1, NULL, PROF_UINT), EINVAL);
	one.pr_size = 12;
	EXPECT_ERRNO(sprofil(&one, 1, NULL, PROF_UINT64), EINVAL);
	one.pr_size = 16;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT64));
}

/* Scale 2 is the smallest; 2^46 * 2 / 65536 is 2^31. */
TEST(hpux_sprofil_size_beyond_what_scale_reaches_is_einval)
{
	struct prof one = { a, 0x80000008, (void *)TEXT, 2 };

	EXPECT_ERRNO(sprofil(&one, 1, NULL, PROF_USHORT), EINVAL);
	one.pr_size = 0x80000000;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	one.pr_size = 0x80000008;
	one.pr_scale = 3;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
}

TEST(hpux_sprofil_flags_other_than_one_width_are_einval)
{
	EXPECT_ERRNO(sprofil(&text, 1, NULL, 0), EINVAL);
	EXPECT_ERRNO(sprofil(&text, 1, NULL, PROF_USHORT | PROF_UINT), EINVAL);
	EXPECT_ERRNO(sprofil(&text, 1, NULL, PROF_UINT | PROF_UINT64), EINVAL);
	EXPECT_ERRNO(sprofil(&text, 1, NULL, PROF_USHORT | 8), EINVAL);
}

TEST(hpux_sprofil_flags_have_their_values)
{
	EXPECT_EQ(PROF_USHORT, 1);
	EXPECT_EQ(PROF_UINT, 2);
	EXPECT_EQ(PROF_UINT64, 4);
}

TEST(hpux_sprofil_count_0_disables)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT, 1);
	EXPECT_OK(sprofil(NULL, 0, NULL, PROF_USHORT));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(a), 1);
}

TEST(hpux_sprofil_negative_count_is_e2big)
{
	EXPECT_ERRNO(sprofil(&text, -1, NULL, PROF_USHORT), E2BIG);
}

static struct prof *ascending(long n)
{
	struct prof *entry = pages((unsigned long)n * sizeof(*entry));
	long i;

	for (i = 0; i < n; i++) {
		entry[i] = text;
		entry[i].pr_offset = (void *)(TEXT + 1000 * (unsigned long)i);
	}
	return entry;
}

TEST(hpux_sprofil_more_than_profil_max_is_e2big)
{
	long max = sysconf(_SC_PROFIL_MAX);

	EXPECT(max > 0);
	EXPECT_ERRNO(sprofil(ascending(max + 1), (int)max + 1, NULL, PROF_USHORT),
		     E2BIG);
}

TEST(hpux_sprofil_takes_profil_max_regions)
{
	long max = sysconf(_SC_PROFIL_MAX);
	struct prof *entry = ascending(max);

	entry[max - 1].pr_base = b;
	EXPECT_OK(sprofil(entry, (int)max, NULL, PROF_USHORT));
	EXPECT_HIT(b, TEXT + 1000 * (unsigned long)(max - 1), 0);
}

TEST(hpux_sprofil_sysconf_still_answers_other_questions)
{
	EXPECT_EQ(sysconf(_SC_PAGESIZE), PAGE);
	EXPECT_EQ(sysconf(_SC_CLK_TCK), 100);
}

TEST(hpux_sprofil_bad_profp_is_efault)
{
	EXPECT_ERRNO(sprofil(NULL, 1, NULL, PROF_USHORT), EFAULT);
	EXPECT_ERRNO(sprofil(NOT_MAPPED, 1, NULL, PROF_USHORT), EFAULT);
	EXPECT_ERRNO(sprofil(KERNEL_ADDRESS, 1, NULL, PROF_USHORT), EFAULT);
}

TEST(hpux_sprofil_bad_tvp_is_efault)
{
	EXPECT_ERRNO(sprofil(&text, 1, NOT_MAPPED, PROF_USHORT), EFAULT);
	EXPECT_ERRNO(sprofil(&text, 1, KERNEL_ADDRESS, PROF_USHORT), EFAULT);
	EXPECT(!profile_is_on());
}

TEST(hpux_sprofil_tvp_gets_one_clock_tick)
{
	struct timeval tick = { 7, 7 };

	EXPECT_OK(sprofil(&text, 1, &tick, PROF_USHORT));
	EXPECT_EQ(tick.tv_sec, 0);
	EXPECT_EQ(tick.tv_usec, 10000);
	spend(TEXT, 200);
	EXPECT_NEAR(a[0], 20, 2);
}

TEST(hpux_sprofil_error_leaves_the_profile_as_it_was)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	EXPECT_ERRNO(sprofil(&text, -1, NULL, PROF_USHORT), E2BIG);
	EXPECT_ERRNO(sprofil(&text, 1, NULL, 0), EINVAL);
	EXPECT_ERRNO(sprofil(NULL, 1, NULL, PROF_USHORT), EFAULT);
	EXPECT_HIT(a, TEXT, 0);
}

static void entry_is_off(unsigned int scale)
{
	struct prof two[] = {
		{ a, sizeof(a), (void *)TEXT, scale },
		{ b, sizeof(b), (void *)FAR_TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT, NOWHERE);
	EXPECT_HIT(b, FAR_TEXT, 0);
}

TEST(hpux_sprofil_scale_0_entry_is_off)
{
	entry_is_off(0);
}

TEST(hpux_sprofil_scale_1_entry_is_off)
{
	entry_is_off(1);
}

TEST(hpux_sprofil_memory_fault_turns_all_off)
{
	unsigned short *lost = pages(PAGE);
	struct prof two[] = {
		{ a, sizeof(a), (void *)TEXT, 0x8000 },
		{ lost, PAGE, (void *)FAR_TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	spin(TEXT, 1);
	unmap(lost, PAGE);
	spin_until_off(FAR_TEXT);
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(a[0], 1);
}

TEST(hpux_sprofil_takes_any_buffer_without_complaint)
{
	struct prof two[] = {
		{ a, sizeof(a), (void *)TEXT, 0x8000 },
		{ KERNEL_ADDRESS, 64, (void *)FAR_TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(a, TEXT, 0);
	two[1].pr_base = NOT_MAPPED;
	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	spin_until_off(FAR_TEXT);
}

TEST(hpux_sprofil_every_thread_is_sampled)
{
	thread_start();
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT, 1);
	thread_spin(TEXT + 4, 2);
	spend_in_threads(TEXT + 8, 40, 2);
	EXPECT_EQ(a[0], 1);
	EXPECT_EQ(a[1], 2);
	EXPECT_NEAR(a[2], 8, 3);
}

static void child_counts_on(void)
{
	spin(TEXT, 2);
	EXPECT_EQ(a[0], 3);
}

TEST(hpux_sprofil_stays_on_after_fork)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT, 1);
	EXPECT(in_child(child_counts_on));
	spin(TEXT, 1);
	EXPECT_EQ(a[0], 2);
}

ROLE(run_unprofiled)
{
	EXPECT(!profile_is_on());
	spend(argument, IDLE_MS);
	EXPECT_EQ(profile_ticks(), 0);
	return 0;
}

TEST(hpux_sprofil_exec_turns_off)
{
	EXPECT_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	EXPECT(in_program("run_unprofiled", TEXT));
	become("run_unprofiled", TEXT);
}

TEST(hpux_profil_returns_nothing)
{
	void (*call)(unsigned short *, size_t, size_t, unsigned int) = profil;

	EXPECT_QUIET(call(a, sizeof(a), TEXT, 0x8000));
	EXPECT(profile_is_on());
}

TEST(hpux_profil_is_sprofil_with_one_ushort_region)
{
	EXPECT_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	EXPECT_QUIET(profil(b, sizeof(b), TEXT, 0x8000));
	EXPECT_HIT(b, TEXT + 4, 1);
	spin(FAR_TEXT, 1);
	EXPECT_EQ(SUM(a) + bin, 0);
	b[0] = 65535;
	spin(TEXT, 2);
	EXPECT_EQ(b[0], 65535);
}

static void profil_is_off(unsigned int scale)
{
	profil(a, sizeof(a), TEXT, 0x8000);
	spin(TEXT, 1);
	EXPECT_QUIET(profil(a, sizeof(a), TEXT, scale));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(a), 1);
}

TEST(hpux_profil_scale_0_turns_off)
{
	profil_is_off(0);
}

TEST(hpux_profil_scale_1_turns_off)
{
	profil_is_off(1);
}

TEST(hpux_profil_bufsiz_0_is_ineffective)
{
	EXPECT_QUIET(profil(a, 0, TEXT, 0x8000));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(a), 0);
}

TEST(hpux_profil_scale_0177777_is_one_to_one)
{
	profil(a, sizeof(a), TEXT, 0177777);
	EXPECT_HIT(a, TEXT, 0);
	EXPECT_HIT(a, TEXT + 3, 1);
	EXPECT_HIT(a, TEXT + 40, 19);
}

TEST(hpux_profil_memory_fault_turns_off)
{
	unsigned short *lost = pages(PAGE);

	profil(lost, PAGE, TEXT, 0x8000);
	spin(TEXT, 1);
	unmap(lost, PAGE);
	spin_until_off(TEXT);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* IRIX: sprofil(2), and profil(2) as a special case of it. */
#include <sys/time.h>
#include <sys/profil.h>
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "ticks.h"

#define SYSTEM		irix
#define SIZE		unsigned int
#define OFFSET		__psunsigned_t
#define PR_OFFSET	pr_off
#define NEGATIVE	E2BIG
#define STRICT
#define MOST		PROFIL_MAX
#define NO_FLAGS	0, PROF_FAST, PROF_USHORT | PROF_UINT
#define FAULT_OF_REGION
#include "every_sprofil.h"

CASE(irix_sprofil_counts_cpu_time_only, CHECK_CPU_TIME(sprofil(&text, 1, NULL, PROF_USHORT), a[0]))

TEST_HITS(irix_sprofil_regions_have_a_granularity_each,
	REGIONS(PROF_USHORT, { a, sizeof(a), TEXT, 0x8000 }, { b, sizeof(b), FAR_TEXT, 0x100 }),
	AT(a, TEXT + 40, 10), AT(b, FAR_TEXT + 511, 0), AT(b, FAR_TEXT + 512, 1))

TEST(irix_sprofil_counts_in_each_element_of_the_array)
{
	static unsigned short counter[20];
	static struct prof entry[20];

	for (int i = 0; i < 20; i++)
		entry[i] = (struct prof){ &counter[i], sizeof(counter[i]),
					  TEXT + 64 * (unsigned long)((i * 7) % 20), 0x8000 };
	CHECK_OK(sprofil(entry, 20, NULL, PROF_USHORT));
	for (int i = 0; i < 20; i++)
		CHECK_HIT(counter, entry[i].pr_off + 1, i);
}

/* What lies between the members is not the caller's to clear. */
TEST(irix_sprofil_padding_of_struct_prof_has_no_meaning)
{
	union {
		struct prof prof;
		unsigned char byte[sizeof(struct prof)];
	} entry;

	for (unsigned int i = 0; i < sizeof(entry); i++)
		entry.byte[i] = 0xee;
	entry.prof.pr_base = a;
	entry.prof.pr_size = sizeof(a);
	entry.prof.pr_off = TEXT;
	entry.prof.pr_scale = 0x8000;
	CHECK_OK(sprofil(&entry.prof, 1, NULL, PROF_USHORT));
	CHECK_HITS(AT(a, TEXT + 12, 3), AT(a, TEXT + 2 * sizeof(a), NOWHERE));
}

TEST(irix_sprofil_fields_mean_what_profils_arguments_mean)
{
	CHECK_OK(REGIONS(PROF_USHORT, { a, sizeof(a), TEXT, 0xc000 }));
	CHECK_HITS(AT(a, TEXT + 3, 1), AT(a, TEXT + 16, 6));
	CHECK_OK(profil(a, sizeof(a), TEXT, 0xc000));
	CHECK_HITS(AT(a, TEXT + 3, 1), AT(a, TEXT + 16, 6));
}

TEST(irix_sprofil_pr_size_is_in_bytes)
{
	struct prof one = { a, 16, TEXT, 0x8000 };

	CHECK_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	CHECK_HITS(AT(a, TEXT + 31, 7), AT(a, TEXT + 32, NOWHERE));
	one.pr_base = wide;
	one.pr_scale = 0x10000;
	CHECK_OK(sprofil(&one, 1, NULL, PROF_UINT));
	CHECK_HITS(AT(wide, TEXT + 15, 3), AT(wide, TEXT + 16, NOWHERE));
}

TEST_HITS(irix_sprofil_counts_are_stored_at_pr_base,
	REGIONS(PROF_USHORT, { a + 5, 20, TEXT, 0x8000 }), AT(a, TEXT, 5), AT(a, TEXT + 36, 14))
TEST_HITS(irix_sprofil_region_is_given_by_offset_scale_and_size,
	REGIONS(PROF_USHORT, { a, 32, TEXT + 100, 0x4000 }), AT(a, TEXT + 99, NOWHERE),
	AT(a, TEXT + 100, 0), AT(a, TEXT + 227, 15), AT(a, TEXT + 228, NOWHERE))

TEST_HITS(irix_sprofil_tvp_may_be_null, sprofil(&text, 1, NULL, PROF_USHORT), AT(a, TEXT, 0))

TEST(irix_sprofil_flags_have_their_values)
{
	CHECK_EQ(PROF_USHORT, 1);
	CHECK_EQ(PROF_UINT, 2);
	CHECK_EQ(PROF_FAST, 4);
	CHECK_EQ(PROF_FAST_CNT, 10);
}

TEST(irix_sprofil_a_counter_per_instruction_takes_8000_or_10000)
{
	CHECK_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	for (unsigned long i = 0; i < 8; i++)
		CHECK_HIT(a, TEXT + 4 * i, (long)i);
	CHECK_OK(REGIONS(PROF_UINT, ENTRY(wide, TEXT, 0x10000)));
	for (unsigned long i = 0; i < 8; i++)
		CHECK_HIT(wide, TEXT + 4 * i, (long)i);
}

TEST(irix_sprofil_fast_samples_each_millisecond)
{
	struct timeval tick;
	int ms;

	CHECK_OK(sprofil(&text, 1, &tick, PROF_USHORT | PROF_FAST));
	CHECK_EQ(tick.tv_sec, 0);
	CHECK_EQ(tick.tv_usec, 1000);
	ms = spend(TEXT, 200);
	CHECK_OK(profil(0, 0, 0, 0));
	CHECK_NEAR(a[0], ms, 2);
}

TEST(irix_sprofil_fast_works_with_uint)
{
	int ms;
	CHECK_OK(REGIONS(PROF_UINT | PROF_FAST, { wide, sizeof(wide), TEXT, 0x10000 }));
	ms = spend(TEXT + 8, 100);
	CHECK_OK(profil(0, 0, 0, 0));
	CHECK_NEAR(wide[2], ms, 2);
}

TEST(irix_sprofil_fast_while_restricted_is_eacces)
{
	CHECK_EQ(set_parameter("restrict_fastprof", "1"), 0);
	CHECK_FAILS(sprofil(&text, 1, NULL, PROF_USHORT | PROF_FAST), EACCES);
	CHECK_FAILS(sprofil(&text, 0, NULL, PROF_FAST), EACCES);
	CHECK_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	CHECK_EQ(set_parameter("restrict_fastprof", "0"), 0);
	CHECK_OK(sprofil(&text, 1, NULL, PROF_USHORT | PROF_FAST));
}

TEST(irix_sprofil_overflow_bin_uses_its_first_counter_only)
{
	CHECK_OK(REGIONS(PROF_USHORT, ENTRY(a, TEXT, 0x8000), ENTRY(bin, 0, 2)));
	spin(FAR_TEXT, 3);
	CHECK_EQ(bin[0], 3);
	CHECK_EQ(SUM(bin), 3);
}

TEST(irix_sprofil_count_0_is_e2big)
{
	CHECK_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	CHECK_FAILS(sprofil(&text, 0, NULL, PROF_USHORT), E2BIG);
	CHECK_FAILS(sprofil(NULL, 0, NULL, PROF_USHORT), E2BIG);
	CHECK_HIT(a, TEXT, 0);
}

CASE(irix_sprofil_size_0_region_is_ineffective, region_is_off(0, 0x8000))
CASE(irix_sprofil_only_regions_that_are_off_turn_off,
     CHECK_TURNS_OFF(sprofil(&text, 1, NULL, PROF_USHORT),
		     REGIONS(PROF_USHORT, { a, sizeof(a), TEXT, 0 }), a))

TEST(irix_sprofil_memory_fault_turns_off_that_region)
{
	unsigned short *lost = pages(2 * PAGE);
	CHECK_OK(REGIONS(PROF_USHORT, { lost, 2 * PAGE, FAR_TEXT, 0x8000 },
			 { a, sizeof(a), TEXT, 0x8000 }));
	spin(FAR_TEXT, 1);
	unmap((char *)lost + PAGE, PAGE);
	spend(FAR_TEXT + 2 * PAGE, IDLE_MS);
	spend(FAR_TEXT, IDLE_MS);
	CHECK_EQ(lost[0], 1);
	CHECK_HIT(a, TEXT, 0);
}

TEST(irix_sprofil_bad_buffer_is_found_at_the_tick)
{
	CHECK_OK(REGIONS(PROF_USHORT, { NOT_MAPPED, 64, FAR_TEXT, 0x8000 },
			 { KERNEL_ADDRESS, 64, FAR_TEXT + PAGE, 0x8000 },
			 { (void *)-6L, 64, FAR_TEXT + 2 * PAGE, 0x8000 }, text));
	spend(FAR_TEXT, IDLE_MS);
	spend(FAR_TEXT + PAGE, IDLE_MS);
	CHECK_HIT(a, TEXT, 0);
}

static void sproc_counts_on(void)
{
	spin(TEXT + 4, 2);
}

TEST(irix_sprofil_stays_on_in_sproc_child)
{
	CHECK_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT, 1);
	in_sharing_process(sproc_counts_on);
	spin(TEXT, 1);
	CHECK_OK(profil(0, 0, 0, 0));
	CHECK_EQ(a[0], 2);
	CHECK_EQ(a[1], 2);
}

TEST_HITS(irix_profil_with_offset_0_and_scale_2_is_an_overflow_bin,
	profil(bin, sizeof(bin), 0, 2), AT(bin, TEXT, 0), AT(bin, FAR_TEXT, 0))
CASE(irix_profil_turns_off_with_scale_0,
     CHECK_TURNS_OFF(profil(a, sizeof(a), TEXT, 0x8000), profil(0, 0, 0, 0), a))

CASE(irix_profil_counts_up_to_65535,
     CHECK_COUNTS(a[0], 65534, profil(a, sizeof(a), TEXT, 0x8000), 3, 65535))

TEST(irix_sprofil_largest_scale_is_used_with_all_its_bits)
{
	unsigned int *counter = pages(16 * 65536);
	CHECK_OK(REGIONS(PROF_UINT, { counter, 16 * 65536, TEXT, 0xffffffff }));
	spin(TEXT, 1);
	spin(TEXT + 15, 2);
	CHECK_EQ(counter[0], 1);
	CHECK_EQ(counter[(15 * 0xffffffffUL >> 16) / 4], 2);
}

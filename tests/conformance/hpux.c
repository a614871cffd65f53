// SPDX-License-Identifier: LGPL-2.1-or-later
/* HP-UX: sprofil(2) and profil(2). */
#include <sys/time.h>
#include <sys/profil.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "ticks.h"

#define SYSTEM		hpux
#define SIZE		unsigned int
#define OFFSET		void *
#define PR_OFFSET	pr_offset
#define NEGATIVE	E2BIG
#define STRICT
#define MOST		sysconf(_SC_PROFIL_MAX)
#define NO_FLAGS	0, PROF_USHORT | PROF_UINT, PROF_UINT | PROF_UINT64, PROF_USHORT | 8
#include "every_sprofil.h"

static uint64_t huge[64];

TEST(hpux_sprofil_uint64_counter_saturates)
{
	huge[0] = UINT64_MAX - 1;
	huge[1] = 0xffffffff;
	CHECK_OK(REGIONS(PROF_UINT64, ENTRY(huge, TEXT, 0x10000)));
	spin(TEXT, 3);
	spin(TEXT + 8, 2);
	CHECK(huge[0] == UINT64_MAX);
	CHECK(huge[1] == 0x100000001);
}

/*
 * The tables, in quarters of an instruction per counter. Each pc is
 * tried on both sides of the boundary between counters 2 and 3.
 */
static void follows_table(unsigned int instruction, unsigned int scale, unsigned long quarters,
			  void *counters, int width, unsigned int flag)
{
	struct prof one = { counters, 512, (void *)TEXT, scale };
	unsigned long bytes = quarters * instruction / 4;

	CHECK_OK(sprofil(&one, 1, NULL, flag));
	spin(TEXT + 3 * bytes - 1, 1);
	CHECK_EQ(which(counters, 512 / (unsigned long)width, width), 2);
	spin(TEXT + 3 * bytes, 1);
	CHECK_EQ(which(counters, 512 / (unsigned long)width, width), 3);
}

/* Instructions per counter, times 4, at scale 2; it halves with each row. */
static void follows_column(unsigned int instruction, unsigned long quarters,
			   unsigned int last, int width, unsigned int flag)
{
	void *counters = pages(PAGE);

	for (unsigned int scale = 2; scale <= last; scale *= 2, quarters /= 2)
		follows_table(instruction, scale, quarters, counters, width, flag);
}

/* The scale one: a short for each instruction. */
static void follows_tables(unsigned int instruction)
{
	unsigned int one = 131072 / instruction;
	void *counters = pages(PAGE);

	follows_column(instruction, 2 * one, one, 2, PROF_USHORT);
	follows_column(instruction, 4 * one, 2 * one, 4, PROF_UINT);
	follows_column(instruction, 8 * one, 4 * one, 8, PROF_UINT64);
	follows_table(instruction, 2 * one, 2, counters, 2, PROF_USHORT);
	follows_table(instruction, 4 * one, 1, counters, 2, PROF_USHORT);
	follows_table(instruction, 4 * one, 2, counters, 4, PROF_UINT);
}

CASE(hpux_sprofil_follows_the_pa_risc_tables, follows_tables(4))
CASE(hpux_sprofil_follows_the_itanium_tables, follows_tables(16))
TEST_HITS(hpux_sprofil_pcs_of_one_bundle_share_a_counter,
	REGIONS(PROF_USHORT, { a, sizeof(a), (void *)TEXT, 8192 }), AT(a, TEXT + 16, 1),
	AT(a, TEXT + 17, 1), AT(a, TEXT + 18, 1), AT(a, TEXT + 31, 1))

TEST(hpux_sprofil_uint64_one_to_one_takes_twice_as_much_as_uint)
{
	struct prof one = { wide, 64, (void *)TEXT, 65536 };

	CHECK_OK(sprofil(&one, 1, NULL, PROF_UINT));
	CHECK_HITS(AT(wide, TEXT + 63, 15), AT(wide, TEXT + 64, NOWHERE));
	one = (struct prof){ huge, 128, (void *)TEXT, 131072 };
	CHECK_OK(sprofil(&one, 1, NULL, PROF_UINT64));
	CHECK_HITS(AT(huge, TEXT + 63, 15), AT(huge, TEXT + 64, NOWHERE));
}

TEST(hpux_sprofil_index_is_scaled_before_it_is_divided)
{
	struct prof one = { wide, sizeof(wide), (void *)TEXT, 0xc000 };

	CHECK_OK(sprofil(&one, 1, NULL, PROF_UINT));
	CHECK_HITS(AT(wide, TEXT + 5, 0), AT(wide, TEXT + 6, 1));
	one = (struct prof){ huge, sizeof(huge), (void *)TEXT, 0x8000 };
	CHECK_OK(sprofil(&one, 1, NULL, PROF_UINT64));
	CHECK_HIT(huge, TEXT + 100, 6);
}

TEST(hpux_sprofil_overflow_bin_counts_in_the_first_counter)
{
	static uint64_t first[1];
	CHECK_OK(REGIONS(PROF_UINT64, { huge, sizeof(huge), (void *)TEXT, 0x10000 },
			 { first, sizeof(first), 0, 2 }));
	CHECK_HITS(AT(first, FAR_TEXT, 0), AT(huge, TEXT + 8, 1));
}

TEST(hpux_sprofil_overflow_bin_of_two_elements_is_einval)
{
	struct prof two[] = { text, { b, 4, 0, 2 } };

	CHECK_FAILS(sprofil(two, 2, NULL, PROF_USHORT), EINVAL);
	two[1].pr_size = 0;
	CHECK_FAILS(sprofil(two, 2, NULL, PROF_USHORT), EINVAL);
	two[1].pr_size = 2;
	CHECK_OK(sprofil(two, 2, NULL, PROF_USHORT));
}

TEST(hpux_sprofil_descending_offsets_are_einval)
{
	CHECK_FAILS(REGIONS(PROF_USHORT, { b, sizeof(b), (void *)FAR_TEXT, 0x8000 },
			    { a, sizeof(a), (void *)TEXT, 0x8000 }), EINVAL);
}

TEST(hpux_sprofil_size_of_no_whole_elements_is_einval)
{
	static const unsigned int bad[][2] = {
		{ 0, PROF_USHORT }, { 15, PROF_USHORT }, { 14, PROF_UINT }, { 12, PROF_UINT64 },
	};

	for (unsigned int i = 0; i < COUNT(bad); i++)
		CHECK_FAILS(REGIONS(bad[i][1], { huge, bad[i][0], (void *)TEXT, 0x8000 }), EINVAL);
	CHECK_OK(REGIONS(PROF_UINT64, { huge, 16, (void *)TEXT, 0x8000 }));
}

/* Scale 2 is the smallest; 2^46 * 2 / 65536 is 2^31. */
TEST(hpux_sprofil_size_beyond_what_scale_reaches_is_einval)
{
	struct prof one = { a, 0x80000008, (void *)TEXT, 2 };

	CHECK_FAILS(sprofil(&one, 1, NULL, PROF_USHORT), EINVAL);
	one.pr_size = 0x80000000;
	CHECK_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	one.pr_size = 0x80000008;
	one.pr_scale = 3;
	CHECK_OK(sprofil(&one, 1, NULL, PROF_USHORT));
}

TEST(hpux_sprofil_flags_have_their_values)
{
	CHECK_EQ(PROF_USHORT, 1);
	CHECK_EQ(PROF_UINT, 2);
	CHECK_EQ(PROF_UINT64, 4);
}

CASE(hpux_sprofil_count_0_disables,
     CHECK_TURNS_OFF(sprofil(&text, 1, NULL, PROF_USHORT), sprofil(NULL, 0, NULL, PROF_USHORT), a))

TEST(hpux_sprofil_sysconf_still_answers_other_questions)
{
	CHECK_EQ(sysconf(_SC_PAGESIZE), PAGE);
	CHECK_EQ(sysconf(_SC_CLK_TCK), 100);
}

TEST(hpux_sprofil_takes_any_buffer_without_complaint)
{
	struct prof two[] = {
		{ a, sizeof(a), (void *)TEXT, 0x8000 },
		{ KERNEL_ADDRESS, 64, (void *)FAR_TEXT, 0x8000 },
	};

	CHECK_OK(sprofil(two, 2, NULL, PROF_USHORT));
	CHECK_HIT(a, TEXT, 0);
	two[1].pr_base = NOT_MAPPED;
	CHECK_OK(sprofil(two, 2, NULL, PROF_USHORT));
	spin_until_off(FAR_TEXT);
}

CASE(hpux_sprofil_every_thread_is_sampled,
     CHECK_THREADS(sprofil(&text, 1, NULL, PROF_USHORT), a, 4, 1))

TEST_TYPE(hpux_profil_returns_nothing,
	void (*call)(unsigned short *, size_t, size_t, unsigned int), profil,
	CHECK_QUIET, a, sizeof(a), TEXT, 0x8000)

static void profil_is_off(unsigned int scale)
{
	CHECK_TURNS_OFF((profil(a, sizeof(a), TEXT, 0x8000), 0),
			(profil(a, sizeof(a), TEXT, scale), 0), a);
}

CASE(hpux_profil_scale_0_turns_off, profil_is_off(0))
CASE(hpux_profil_scale_1_turns_off, profil_is_off(1))
CASE(hpux_profil_bufsiz_0_is_ineffective,
     CHECK_COUNTS_NOTHING((profil(a, 0, TEXT, 0x8000), 0), a))

TEST_HITS(hpux_profil_scale_0177777_is_one_to_one, (profil(a, sizeof(a), TEXT, 0177777), 0),
	AT(a, TEXT, 0), AT(a, TEXT + 3, 1), AT(a, TEXT + 40, 19))

CASE(hpux_profil_memory_fault_turns_off,
     CHECK_LOSS_TURNS_OFF((profil(lost, PAGE, TEXT, 0x8000), 0)))

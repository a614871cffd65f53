/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules that every system's sprofil() has: a system's tests define SYSTEM, the types
 * SIZE and OFFSET, the member PR_OFFSET, and NEGATIVE, the errno of a negative count,
 * and include this. With STRICT come the rules of IRIX and HP-UX, which refuse what
 * GNU/Linux takes; MOST is how many regions they take, and NO_FLAGS are not taken.
 * FAULT_OF_REGION: a fault turns off its region only.
 */
#define ENTRY(array, offset, scale)	\
	{ (array), sizeof(array), (OFFSET)(offset), (scale) }

static unsigned short a[64], b[64], c[64], bin[4];
static unsigned int wide[64];

static struct prof text = ENTRY(a, TEXT, 0x8000);
static struct prof text_and_bin[] = { ENTRY(a, TEXT, 0x8000), { bin, 2, 0, 2 } };

TEST_HITS(SPROFIL_RULE(counts_in_every_region),
	REGIONS(PROF_USHORT, ENTRY(a, TEXT, 0x8000), ENTRY(b, FAR_TEXT, 0x8000)),
	AT(a, TEXT + 4, 1), AT(b, FAR_TEXT + 8, 2), AT(a, TEXT + PAGE, NOWHERE))
TEST_HITS(SPROFIL_RULE(largest_offset_below_pc_wins), REGIONS(PROF_USHORT, ENTRY(a, TEXT, 0x8000),
		{ b, 64, (OFFSET)(TEXT + 32), 0x8000 },
		{ c, 16, (OFFSET)(TEXT + 64), 0x8000 }),
	AT(a, TEXT + 31, 7), AT(b, TEXT + 32, 0), AT(b, TEXT + 63, 7),
	AT(c, TEXT + 65, 0), AT(c, TEXT + 95, 7), AT(b, TEXT + 96, 16))
TEST_HITS(SPROFIL_RULE(first_of_equal_offsets_wins),
	REGIONS(PROF_USHORT, { a, 32, (OFFSET)TEXT, 0x8000 },
		{ b, 64, (OFFSET)TEXT, 0x8000 }, ENTRY(c, TEXT, 0x8000)),
	AT(a, TEXT + 4, 1), AT(b, TEXT + 64, 16), AT(c, TEXT + 128, 32))

TEST(SPROFIL_RULE(struct_prof_has_four_members))
{
	OFFSET *offset = &text.PR_OFFSET;

	CHECK_EQ(*offset, (OFFSET)TEXT);
	CHECK_EQ(sizeof(struct prof), 32);
	CHECK_EQ(offsetof(struct prof, pr_base), 0);
	CHECK_EQ(offsetof(struct prof, pr_size), 8);
	CHECK_EQ(offsetof(struct prof, PR_OFFSET), 16);
	CHECK_EQ(offsetof(struct prof, pr_scale), 24);
	CHECK_EQ(sizeof(text.pr_size), sizeof(SIZE));
	CHECK_EQ(sizeof(text.pr_scale), sizeof(SIZE));
}

TEST(SPROFIL_RULE(ushort_counter_saturates))
{
	a[0] = 65534;
	CHECK_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	spin(TEXT, 3);
	spin(TEXT + 4, 1);
	CHECK_EQ(a[0], 65535);
	CHECK_EQ(a[1], 1);
}

TEST(SPROFIL_RULE(uint_counter_saturates))
{
	wide[0] = 0xfffffffe;
	wide[1] = 65535;
	CHECK_OK(REGIONS(PROF_UINT, ENTRY(wide, TEXT, 0x10000)));
	spin(TEXT, 3);
	spin(TEXT + 4, 1);
	CHECK_EQ(wide[0], 0xffffffff);
	CHECK_EQ(wide[1], 65536);
}

TEST(SPROFIL_RULE(overflow_bin_saturates))
{
	bin[0] = 65534;
	CHECK_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	spin(FAR_TEXT, 3);
	CHECK_EQ(bin[0], 65535);
}

TEST(SPROFIL_RULE(tvp_is_the_time_between_samples))
{
	struct timeval tick = { 7, 7 };

	CHECK_OK(sprofil(&text, 1, &tick, PROF_USHORT));
	CHECK_EQ(tick.tv_sec, 0);
	CHECK_EQ(tick.tv_usec, 1000000 / sysconf(_SC_CLK_TCK));
	spend(TEXT, 300);
	CHECK_NEAR(a[0] * tick.tv_usec, 300000, 2 * tick.tv_usec);
}

/* A region that overlaps another. */
static void region_is_off(unsigned int bytes, unsigned int scale)
{
	CHECK_OK(REGIONS(PROF_USHORT, ENTRY(b, TEXT - 16, 0x8000),
			 { a, bytes, (OFFSET)TEXT, scale }));
	CHECK_HIT(b, TEXT, 4);
	CHECK_EQ(SUM(a), 0);
}

CASE(SPROFIL_RULE(scale_0_region_is_off), region_is_off(sizeof(a), 0))
CASE(SPROFIL_RULE(scale_1_region_is_off), region_is_off(sizeof(a), 1))

TEST(SPROFIL_RULE(each_call_replaces_the_one_before))
{
	CHECK_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	spin(TEXT, 1);
	CHECK_OK(REGIONS(PROF_USHORT, ENTRY(b, TEXT, 0x8000)));
	spin(TEXT, 2);
	spin(FAR_TEXT, 1);
	CHECK_OK(REGIONS(PROF_UINT, ENTRY(wide, TEXT, 0x10000)));
	spin(TEXT, 3);
	CHECK_EQ(SUM(a), 1);
	CHECK_EQ(SUM(b), 2);
	CHECK_EQ(SUM(wide), 3);
	CHECK_EQ(SUM(bin), 0);
}

CASE(SPROFIL_RULE(negative_count_is_an_error),
	CHECK_FAILS(sprofil(&text, -1, NULL, PROF_USHORT), NEGATIVE))

TEST(SPROFIL_RULE(bad_profp_is_efault))
{
	struct prof *end = (struct prof *)((char *)pages(PAGE) + PAGE);

	CHECK_FAILS(sprofil(NULL, 1, NULL, PROF_USHORT), EFAULT);
	CHECK_FAILS(sprofil(NOT_MAPPED, 1, NULL, PROF_USHORT), EFAULT);
	CHECK_FAILS(sprofil(KERNEL_ADDRESS, 1, NULL, PROF_USHORT), EFAULT);
	end[-1] = text;
	CHECK_OK(sprofil(end - 1, 1, NULL, PROF_USHORT));
	CHECK_FAILS(sprofil(end - 1, 2, NULL, PROF_USHORT), EFAULT);
}

TEST(SPROFIL_RULE(bad_tvp_is_efault))
{
	struct timeval *constant = pages(PAGE);

	CHECK_FAILS(sprofil(&text, 1, NOT_MAPPED, PROF_USHORT), EFAULT);
	CHECK_FAILS(sprofil(&text, 1, KERNEL_ADDRESS, PROF_USHORT), EFAULT);
	protect(constant, PAGE);
	CHECK_FAILS(sprofil(&text, 1, constant, PROF_USHORT), EFAULT);
	CHECK(!profile_is_on());
}

TEST(SPROFIL_RULE(error_leaves_the_profile_as_it_was))
{
	CHECK_OK(sprofil(&text, 1, NULL, PROF_USHORT));
	CHECK_FAILS(sprofil(&text, -1, NULL, PROF_USHORT), NEGATIVE);
	CHECK_FAILS(sprofil(NULL, 1, NULL, PROF_USHORT), EFAULT);
#ifdef STRICT
	CHECK_FAILS(sprofil(&text, 1, NULL, 0), EINVAL);
#endif
	CHECK_HIT(a, TEXT, 0);
}

#ifndef FAULT_OF_REGION
TEST(SPROFIL_RULE(memory_fault_turns_all_off))
{
	unsigned short *lost = pages(PAGE);

	CHECK_OK(REGIONS(PROF_USHORT, ENTRY(a, TEXT, 0x8000),
			 { lost, PAGE, (OFFSET)FAR_TEXT, 0x8000 }));
	spin(TEXT, 1);
	unmap(lost, PAGE);
	spin_until_off(FAR_TEXT);
	spend(TEXT, IDLE_MS);
	CHECK_EQ(SUM(a), 1);
}
#endif

#ifdef STRICT
TEST(SPROFIL_RULE(more_than_profil_max_is_e2big))
{
	int i, max = (int)MOST;
	struct prof *many = pages(((unsigned long)max + 1) * sizeof(*many));

	CHECK(max > 0);
	for (i = 0; i <= max; i++) {
		many[i] = text;
		many[i].PR_OFFSET = (OFFSET)(TEXT + 1000 * (unsigned long)i);
	}
	CHECK_FAILS(sprofil(many, max + 1, NULL, PROF_USHORT), E2BIG);
	many[max - 1].pr_base = b;
	CHECK_OK(sprofil(many, max, NULL, PROF_USHORT));
	CHECK_HIT(b, TEXT + 1000 * (unsigned long)(max - 1) + 4, 1);
}

TEST(SPROFIL_RULE(flags_other_than_one_width_are_einval))
{
	static const unsigned int flags[] = { NO_FLAGS };

	for (unsigned int i = 0; i < COUNT(flags); i++)
		CHECK_FAILS(sprofil(&text, 1, NULL, flags[i]), EINVAL);
}

TEST(PROFIL_RULE(is_sprofil_with_one_ushort_region))
{
	CHECK_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	CHECK_QUIET(profil(b, sizeof(b), TEXT, 0x8000));
	CHECK_HITS(AT(b, TEXT + 4, 1), AT(bin, FAR_TEXT, NOWHERE));
	b[0] = 65535;
	spin(TEXT, 2);
	CHECK_EQ(b[0], 65535);
	CHECK_EQ(SUM(a), 0);
}

TEST(SPROFIL_RULE(takes_array_count_timeval_and_flags))
{
	int (*call)(struct prof *, int, struct timeval *, unsigned int) = sprofil;

	CHECK_OK(call(&text, 1, NULL, PROF_USHORT));
	CHECK(profile_is_on());
}

CASE(SPROFIL_RULE(overflow_bin_may_be_alone), CHECK_OK(sprofil(&text_and_bin[1], 1, NULL, PROF_USHORT));
     CHECK_HIT(bin, TEXT, 0))

TEST(SPROFIL_RULE(overflow_bin_takes_every_other_pc))
{
	CHECK_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	CHECK_HITS(AT(bin, TEXT - 1, 0), AT(bin, 0x20000, 0), AT(bin, FAR_TEXT, 0),
		   AT(a, TEXT, 0), AT(bin, TEXT + 2 * sizeof(a), 0));
	spin(FAR_TEXT, 3);
	CHECK_EQ(bin[0], 3);
	CHECK_EQ(SUM(bin) + SUM(a), 3);
}

CASE(SPROFIL_RULE(overflow_bin_not_last_is_einval),
	CHECK_FAILS(REGIONS(PROF_USHORT, text_and_bin[1], text_and_bin[0]), EINVAL))
TEST_HITS(SPROFIL_RULE(scale_2_elsewhere_is_a_scale), REGIONS(PROF_USHORT, ENTRY(a, TEXT, 2)),
	AT(a, TEXT + 65535, 0), AT(a, TEXT + 65536, 1), AT(a, TEXT - 1, NOWHERE))

TEST(SPROFIL_RULE(uint_one_to_one_takes_twice_as_much_as_ushort))
{
	CHECK_OK(REGIONS(PROF_USHORT, { a, 32, (OFFSET)TEXT, 0x8000 }));
	CHECK_HITS(AT(a, TEXT + 63, 15), AT(a, TEXT + 64, NOWHERE));
	CHECK_OK(REGIONS(PROF_UINT, { wide, 64, (OFFSET)TEXT, 0x10000 }));
	CHECK_HITS(AT(wide, TEXT + 63, 15), AT(wide, TEXT + 64, NOWHERE));
}

CASE(SPROFIL_RULE(exec_turns_off), CHECK_OK(sprofil(&text, 1, NULL, PROF_USHORT)); exec_turns_off())

TEST(SPROFIL_RULE(stays_on_after_fork))
{
	CHECK_OK(sprofil(text_and_bin, 2, NULL, PROF_USHORT));
	counts_on_in_child(a);
	CHECK_EQ(bin[0], 0);
}
#endif

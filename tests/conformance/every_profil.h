/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules that every system's profil() has: a system's tests define SYSTEM and PROFIL(),
 * the call for an array, its length, a PC and a scale, and include this. EVERY_SCALE:
 * scales 1 and 2 are like any other. ON_ONCE: a profile that is on stays as it is.
 * USER_BUFFERS: others than of user space are refused.
 * At scale 0x8000 a counter stands for 4 bytes, by every system's formula; LAST is
 * the last pc of 8 of them.
 */
#ifndef LAST
#define LAST	31
#endif
#define ON	PROFIL(buf, sizeof(buf), TEXT, 0x8000)

static unsigned short buf[65536 + 8];

TEST(PROFIL_RULE(counts_one_per_tick))
{
	buf[9] = 10;
	STARTS(ON);
	spin(TEXT, 1);
	CHECK_EQ(buf[0], 1);
	spin(TEXT + 36, 3);
	idle(100);
	CHECK_EQ(buf[0], 1);
	CHECK_EQ(buf[9], 13);
	CHECK_EQ(SUM(buf), 14);
}

TEST_HITS(PROFIL_RULE(size_is_in_bytes), PROFIL(buf, 16, TEXT, 0x8000),
	AT(buf, TEXT + 28, 7), AT(buf, TEXT + LAST, 7), AT(buf, TEXT + LAST + 1, NOWHERE),
	AT(buf, FAR_TEXT, NOWHERE))
TEST_HITS(PROFIL_RULE(offset_is_the_lowest_pc), PROFIL(buf, sizeof(buf), TEXT + 102, 0x8000),
	AT(buf, TEXT + 101, NOWHERE), AT(buf, TEXT - 64, NOWHERE), AT(buf, TEXT + 102, 0),
	AT(buf, TEXT + 106, 1), AT(buf, TEXT + 142, 10))

TEST_HITS(PROFIL_RULE(offset_0_is_an_address), PROFIL(buf, sizeof(buf), 0, 0x20),
	AT(buf, TEXT, TEXT * 0x20 / 65536 / 2))

static void scale_turns_off(unsigned int scale)
{
	CHECK_TURNS_OFF(ON, PROFIL(buf, sizeof(buf), TEXT, scale), buf);
}

CASE(PROFIL_RULE(scale_0_turns_off), scale_turns_off(0))
CASE(PROFIL_RULE(stays_on_after_fork), STARTS(ON); counts_on_in_child(buf))
CASE(PROFIL_RULE(counts_cpu_time_only), CHECK_CPU_TIME(ON, buf[0]))

#ifndef EVERY_SCALE
CASE(PROFIL_RULE(scale_1_turns_off), scale_turns_off(1))
TEST_HITS(PROFIL_RULE(scale_2_is_a_clock_in_one_place), PROFIL(buf, 2, TEXT, 2),
	AT(buf, TEXT, 0), AT(buf, TEXT + 65536, 0), AT(buf, TEXT + 0x50000, 0),
	AT(buf, FAR_TEXT, 0), AT(buf, TEXT - 2, NOWHERE))
#endif

#ifndef ON_ONCE
CASE(PROFIL_RULE(exec_turns_off), STARTS(ON); exec_turns_off())
CASE(PROFIL_RULE(counts_every_thread), CHECK_THREADS(ON, buf, 4, 1))

TEST(PROFIL_RULE(threads_share_one_buffer))
{
	STARTS(ON);
	spend_in_threads(TEXT, 60, 3);
	STARTS(PROFIL(0, 0, 0, 0));
	CHECK_NEAR(buf[0], 18, 3);
	/* One may fall into libc, which makes and ends the threads. */
	CHECK_NEAR(SUM(buf), profile_ticks(), 1);
}

TEST(PROFIL_RULE(charges_system_time_to_the_return_address))
{
	STARTS(ON);
	spend_in_kernel(TEXT + 64, 200);
	CHECK_NEAR(SUM(buf), 20, 2);
	CHECK_GE(buf[16], 18);
}

TEST(PROFIL_RULE(new_call_replaces))
{
	static unsigned short other[64];

	STARTS(ON);
	spin(TEXT, 1);
	STARTS(PROFIL(other, sizeof(other), TEXT, 0x8000));
	spin(TEXT, 2);
	CHECK_EQ(SUM(buf), 1);
	CHECK_EQ(SUM(other), 2);
}

TEST(PROFIL_RULE(memory_fault_turns_off))
{
	unsigned short *two = pages(2 * PAGE);

	STARTS(PROFIL(two, 2 * PAGE, TEXT, 0x8000));
	spin(TEXT, 1);
	unmap((char *)two + PAGE, PAGE);
	spin_until_off(TEXT + 2 * PAGE);
	spend(TEXT, IDLE_MS);
	CHECK_EQ(two[0], 1);
}

TEST(PROFIL_RULE(bad_buffer_is_found_at_the_tick))
{
	STARTS(PROFIL(NOT_MAPPED, 64, TEXT, 0x8000));
	CHECK(profile_is_on());
	spin_until_off(TEXT);
#ifndef USER_BUFFERS
	STARTS(PROFIL(0, 64, TEXT, 0x8000));
	spin_until_off(TEXT);
	STARTS(PROFIL(KERNEL_ADDRESS, 64, TEXT, 0x8000));
	spend(TEXT, IDLE_MS);
#endif
}

TEST(PROFIL_RULE(buffer_may_be_unaligned))
{
	unsigned char *bytes = pages(64);

	bytes[3] = 0xff;
	STARTS(PROFIL((void *)(bytes + 1), 32, TEXT, 0x8000));
	spin(TEXT + 4, 1);
	CHECK_EQ(bytes[4], 1);
	CHECK_EQ(sum(bytes, 64, 1), 1);
}

/* Neither is the odd byte written, nor the one behind it. */
TEST(PROFIL_RULE(odd_size_is_rounded_down))
{
	unsigned char *bytes = pages(64);

	STARTS(PROFIL((void *)bytes, 5, TEXT, 0x8000));
	spin(TEXT + 4, 1);
	spend(TEXT + 8, IDLE_MS);
	CHECK_EQ(bytes[2], 1);
	CHECK_EQ(sum(bytes, 64, 1), 1);
}
#endif

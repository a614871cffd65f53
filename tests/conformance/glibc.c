// SPDX-License-Identifier: LGPL-2.1-or-later
/* glibc: profil() and sprofil(), as programs for GNU/Linux call them. */
#include <sys/profil.h>
#include <sys/time.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

static unsigned short buf[65536 + 8];
static unsigned short low[64], high[64];
static unsigned int wide[64], bin[2];

/* --- profil ----------------------------------------------------------------- */

TEST(glibc_profil_is_declared_in_unistd_h)
{
	int (*call)(unsigned short *, size_t, size_t, unsigned int) = profil;

	EXPECT_OK(call(buf, sizeof(buf), TEXT, 0x10000));
	EXPECT(profile_is_on());
}

TEST(glibc_profil_counts_one_per_tick)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	spin(TEXT + 10, 3);
	spin(TEXT + 20, 2);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	EXPECT_EQ(buf[5], 3);
	EXPECT_EQ(buf[10], 2);
	EXPECT_EQ(SUM(buf), 5);
}

TEST(glibc_profil_divides_before_it_scales)
{
	static const struct { unsigned int scale, d; int index; } rows[] = {
		{ 0x10000, 0, 0 }, { 0x10000, 3, 1 }, { 0xffff, 2, 0 },
		{ 0xffff, 3, 0 }, { 0xffff, 4, 1 }, { 0x8000, 0x10, 4 },
		{ 0x8000, 0x12, 4 }, { 0x4000, 0x17, 2 }, { 0xaaab, 3, 0 },
		{ 0x5555, 0x236, 94 }, { 0x4000, 0x10000, 8192 },
		{ 0xffff, 0x20000, 65535 }, { 3, 0x20000, 3 },
		{ 0x18000, 0x10, 12 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_OK(profil(buf, sizeof(buf), TEXT, rows[i].scale));
		EXPECT_HIT(buf, TEXT + rows[i].d, rows[i].index);
	}
}

TEST(glibc_profil_null_buffer_stops)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	spin(TEXT, 1);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(buf), 1);
}

static void stops_with_scale(unsigned int scale)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	spin(TEXT, 1);
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, scale));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(buf), 1);
}

TEST(glibc_profil_scale_0_stops)
{
	stops_with_scale(0);
}

TEST(glibc_profil_scale_1_stops)
{
	stops_with_scale(1);
}

TEST(glibc_profil_scale_2_is_a_clock)
{
	EXPECT_OK(profil(buf, 8, TEXT, 2));
	spin(TEXT, 1);
	spin(TEXT + 0x20000, 1);
	spin(FAR_TEXT, 1);
	spin(TEXT - 2, 1);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	EXPECT_EQ(buf[0], 3);
	EXPECT_EQ(SUM(buf), 3);
}

TEST(glibc_profil_takes_scales_above_65536)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x20000));
	EXPECT_HIT(buf, TEXT + 0x10, 16);
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0xffffffff));
	EXPECT_HIT(buf, TEXT + 2, 65535);
}

TEST(glibc_profil_counter_wraps)
{
	buf[0] = 65534;
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	spin(TEXT, 3);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	EXPECT_EQ(buf[0], 1);
	EXPECT_EQ(buf[1], 0);
}

TEST(glibc_profil_pc_below_offset_is_not_counted)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	EXPECT_HIT(buf, TEXT - 1, NOWHERE);
	EXPECT_HIT(buf, TEXT, 0);
}

TEST(glibc_profil_pc_past_buffer_is_not_counted)
{
	EXPECT_OK(profil(buf, 16, TEXT, 0x8000));
	EXPECT_HIT(buf, TEXT + 31, 7);
	EXPECT_HIT(buf, TEXT + 32, NOWHERE);
	EXPECT_HIT(buf, FAR_TEXT, NOWHERE);
}

TEST(glibc_profil_odd_size_is_rounded_down)
{
	EXPECT_OK(profil(buf, 7, TEXT, 0x10000));
	EXPECT_HIT(buf, TEXT + 5, 2);
	EXPECT_HIT(buf, TEXT + 6, NOWHERE);
}

TEST(glibc_profil_counts_100_per_second)
{
	EXPECT_OK(profil(buf, 2, TEXT, 2));
	spend(TEXT, 500);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	EXPECT_NEAR(buf[0], 50, 2);
}

TEST(glibc_profil_new_call_replaces)
{
	EXPECT_OK(profil(low, sizeof(low), TEXT, 0x10000));
	spin(TEXT, 1);
	EXPECT_OK(profil(high, sizeof(high), TEXT, 0x10000));
	spin(TEXT, 2);
	EXPECT_EQ(SUM(low), 1);
	EXPECT_EQ(SUM(high), 2);
}

TEST(glibc_profil_counts_every_thread)
{
	thread_start();
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	spin(TEXT, 1);
	thread_spin(TEXT + 2, 2);
	spend_in_threads(TEXT + 4, 40, 2);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	EXPECT_EQ(buf[0], 1);
	EXPECT_EQ(buf[1], 2);
	EXPECT_NEAR(buf[2], 8, 3);
}

static void child_counts(void)
{
	spin(TEXT, 2);
	EXPECT_EQ(buf[0], 3);
}

TEST(glibc_profil_fork_child_goes_on)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	spin(TEXT, 1);
	EXPECT(in_child(child_counts));
	spin(TEXT, 3);
	EXPECT_EQ(buf[0], 4);
}

ROLE(work_unprofiled)
{
	EXPECT(!profile_is_on());
	spend(argument, IDLE_MS);
	EXPECT_EQ(profile_ticks(), 0);
	return 0;
}

TEST(glibc_profil_program_after_exec_runs_unprofiled)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	EXPECT(in_program("work_unprofiled", TEXT));
	become("work_unprofiled", TEXT);
}

static volatile int signals;

static void on_prof(int sig)
{
	signals += sig == SIGPROF;
}

TEST(glibc_profil_leaves_sigprof_and_its_timer_alone)
{
	struct itimerval timer;

	signal(SIGPROF, on_prof);
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	spin(TEXT, 4);
	EXPECT_EQ(signals, 0);
	EXPECT_EQ(getitimer(ITIMER_PROF, &timer), 0);
	EXPECT_EQ(timer.it_value.tv_sec + timer.it_value.tv_usec, 0);
	raise(SIGPROF);
	EXPECT_EQ(signals, 1);
}

TEST(glibc_profil_buffer_may_be_untouched_memory)
{
	unsigned short *untouched = pages(64 * PAGE);

	EXPECT_OK(profil(untouched, 64 * PAGE, TEXT, 0x10000));
	spin(TEXT + 2, 1);
	spin(TEXT + 40 * PAGE, 1);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	EXPECT_EQ(untouched[1], 1);
	EXPECT_EQ(untouched[20 * PAGE], 1);
}

TEST(glibc_profil_buffer_may_be_on_the_stack)
{
	unsigned short stack[32] = { 0 };

	EXPECT_OK(profil(stack, sizeof(stack), TEXT, 0x10000));
	EXPECT_HIT(stack, TEXT + 6, 3);
	EXPECT_OK(profil(NULL, 0, 0, 0));
}

TEST(glibc_profil_buffer_may_be_unaligned)
{
	unsigned char *bytes = pages(64);

	EXPECT_OK(profil((void *)(bytes + 1), 32, TEXT, 0x10000));
	spin(TEXT + 2, 1);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	EXPECT_EQ(bytes[3], 1);
	EXPECT_EQ(sum(bytes, 64, 1), 1);
}

TEST(glibc_profil_offset_0_is_an_address)
{
	EXPECT_OK(profil(buf, sizeof(buf), 0, 0x20));
	EXPECT_HIT(buf, TEXT, TEXT * 0x20 / 65536 / 2);
	EXPECT_OK(profil(buf, sizeof(buf), 0, 0x10000));
	EXPECT_HIT(buf, TEXT, NOWHERE);
}

TEST(glibc_profil_counts_add_to_what_is_in_the_buffer)
{
	buf[0] = 100;
	buf[1] = 7;
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	spin(TEXT, 2);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	EXPECT_EQ(buf[0], 102);
	EXPECT_EQ(buf[1], 7);
}

TEST(glibc_profil_charges_system_time_to_the_return_address)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	spend_in_kernel(TEXT + 64, 200);
	EXPECT_OK(profil(NULL, 0, 0, 0));
	EXPECT_NEAR(SUM(buf), 20, 2);
	EXPECT(buf[32] >= 18);
}

TEST(glibc_profil_buffer_outside_user_space_is_efault)
{
	EXPECT_ERRNO(profil(KERNEL_ADDRESS, 64, TEXT, 0x8000), EFAULT);
	EXPECT(!profile_is_on());
}

TEST(glibc_profil_buffer_around_the_end_of_memory_is_einval)
{
	EXPECT_ERRNO(profil((void *)-2L, 64, TEXT, 0x8000), EINVAL);
	EXPECT_ERRNO(profil(buf, -1UL, TEXT, 0x8000), EINVAL);
}

TEST(glibc_profil_buffer_not_mapped_is_found_at_the_tick)
{
	EXPECT_OK(profil(NOT_MAPPED, 64, TEXT, 0x8000));
	spin_until_off(TEXT);
}

TEST(glibc_profil_error_leaves_the_profile_as_it_was)
{
	EXPECT_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	EXPECT_ERRNO(profil(KERNEL_ADDRESS, 64, TEXT, 0x8000), EFAULT);
	EXPECT_HIT(buf, TEXT + 2, 1);
}

static void nobody_profiles(void)
{
	EXPECT_EQ(setuid(65534), 0);
	EXPECT_ERRNO(profil(buf, sizeof(buf), TEXT, 0x10000), EACCES);
}

TEST(glibc_profil_without_permission_is_eacces)
{
	int refused;

	EXPECT_EQ(chmod("/dev/profil", 0600), 0);
	refused = in_child(nobody_profiles);
	EXPECT_EQ(chmod("/dev/profil", 0666), 0);
	EXPECT(refused);
}

TEST(glibc_profil_without_descriptors_is_emfile)
{
	struct rlimit none = { 0, 0 };

	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	EXPECT_ERRNO(profil(buf, sizeof(buf), TEXT, 0x10000), EMFILE);
}

TEST(glibc_profil_without_device_is_enodev)
{
	int result, error;

	EXPECT_EQ(rename("/dev/profil", "/dev/profil.away"), 0);
	result = profil(buf, sizeof(buf), TEXT, 0x10000);
	error = errno;
	EXPECT_EQ(rename("/dev/profil.away", "/dev/profil"), 0);
	EXPECT_EQ(result, -1);
	EXPECT_EQ(error, ENODEV);
}

/* --- sprofil ---------------------------------------------------------------- */

TEST(glibc_sprofil_has_libc_types_and_flags)
{
	int (*call)(struct prof *, int, struct timeval *, unsigned int) = sprofil;
	struct prof one = { low, sizeof(low), TEXT, 0x10000 };

	EXPECT_EQ(sizeof(struct prof), 32);
	EXPECT_EQ(offsetof(struct prof, pr_size), 8);
	EXPECT_EQ(offsetof(struct prof, pr_off), 16);
	EXPECT_EQ(offsetof(struct prof, pr_scale), 24);
	EXPECT_EQ(PROF_USHORT, 0);
	EXPECT_EQ(PROF_UINT, 1);
	EXPECT_EQ(PROF_FAST, 2);
	EXPECT_OK(call(&one, 1, NULL, 0));
}

TEST(glibc_sprofil_counts_in_every_region)
{
	struct prof two[] = {
		{ low, sizeof(low), TEXT, 0x10000 },
		{ high, sizeof(high), FAR_TEXT, 0x8000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	spin(TEXT + 2, 1);
	spin(FAR_TEXT + 8, 2);
	EXPECT_OK(sprofil(NULL, 0, NULL, 0));
	EXPECT_EQ(low[1], 1);
	EXPECT_EQ(high[2], 2);
	EXPECT_EQ(SUM(low) + SUM(high), 3);
}

TEST(glibc_sprofil_uint_counters_have_4_bytes)
{
	struct prof one = { wide, sizeof(wide), TEXT, 0x10000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	EXPECT_HIT(wide, TEXT + 3, 0);
	EXPECT_HIT(wide, TEXT + 4, 1);
	one.pr_scale = 0xc000;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	EXPECT_HIT(wide, TEXT + 6, 0);
	one.pr_scale = 0x20000;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	EXPECT_HIT(wide, TEXT + 2, 0);
}

TEST(glibc_sprofil_tvp_is_the_time_between_samples)
{
	struct prof one = { low, 2, TEXT, 3 };
	struct timeval tick = { 9, 9 };

	EXPECT_OK(sprofil(&one, 1, &tick, PROF_USHORT));
	EXPECT_EQ(tick.tv_sec, 0);
	EXPECT_EQ(tick.tv_usec, 10000);
	spend(TEXT, 300);
	EXPECT_NEAR(low[0], 30, 2);
}

TEST(glibc_sprofil_no_regions_stops)
{
	struct prof one = { low, sizeof(low), TEXT, 0x10000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	spin(TEXT, 1);
	EXPECT_OK(sprofil(NULL, 0, NULL, 0));
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(SUM(low), 1);
}

TEST(glibc_sprofil_negative_count_is_einval)
{
	struct prof one = { low, sizeof(low), TEXT, 0x10000 };

	EXPECT_ERRNO(sprofil(&one, -1, NULL, 0), EINVAL);
}

TEST(glibc_sprofil_overflow_bin_may_be_anywhere)
{
	struct prof two[] = {
		{ bin, sizeof(bin), 0, 2 },
		{ wide, sizeof(wide), TEXT, 0x10000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_UINT));
	spin(TEXT + 4, 1);
	spin(TEXT + PAGE, 2);
	spin(TEXT - 8, 3);
	EXPECT_OK(sprofil(NULL, 0, NULL, 0));
	EXPECT_EQ(wide[1], 1);
	EXPECT_EQ(bin[0], 5);
	EXPECT_EQ(bin[1], 0);
}

static void entry_is_ignored(unsigned long scale)
{
	struct prof two[] = {
		{ low, sizeof(low), TEXT, scale },
		{ high, sizeof(high), TEXT - 16, 0x10000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(high, TEXT, 8);
	EXPECT_EQ(SUM(low), 0);
}

TEST(glibc_sprofil_scale_0_entry_is_ignored)
{
	entry_is_ignored(0);
}

TEST(glibc_sprofil_scale_1_entry_is_ignored)
{
	entry_is_ignored(1);
}

TEST(glibc_sprofil_larger_offset_wins)
{
	struct prof two[] = {
		{ low, sizeof(low), TEXT, 0x10000 },
		{ high, 16, TEXT + 32, 0x10000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(low, TEXT + 31, 15);
	EXPECT_HIT(high, TEXT + 32, 0);
	EXPECT_HIT(high, TEXT + 47, 7);
	EXPECT_HIT(low, TEXT + 48, 24);
}

TEST(glibc_sprofil_first_of_equal_offsets_wins)
{
	struct prof two[] = {
		{ low, sizeof(low), TEXT, 0x10000 },
		{ high, sizeof(high), TEXT, 0x10000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(low, TEXT + 8, 4);
	EXPECT_EQ(SUM(high), 0);
}

TEST(glibc_sprofil_ushort_counter_saturates)
{
	struct prof one = { low, sizeof(low), TEXT, 0x10000 };

	low[0] = 65534;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	spin(TEXT, 3);
	spin(TEXT + 2, 1);
	EXPECT_EQ(low[0], 65535);
	EXPECT_EQ(low[1], 1);
}

TEST(glibc_sprofil_uint_counter_saturates)
{
	struct prof one = { wide, sizeof(wide), TEXT, 0x10000 };

	wide[0] = 0xfffffffe;
	EXPECT_OK(sprofil(&one, 1, NULL, PROF_UINT));
	spin(TEXT, 3);
	EXPECT_EQ(wide[0], 0xffffffff);
	EXPECT_EQ(wide[1], 0);
}

TEST(glibc_sprofil_overflow_bin_saturates)
{
	struct prof two[] = {
		{ low, sizeof(low), TEXT, 0x10000 },
		{ high, sizeof(high), 0, 2 },
	};

	high[0] = 65534;
	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	spin(TEXT + PAGE, 3);
	EXPECT_EQ(high[0], 65535);
}

TEST(glibc_sprofil_fast_changes_nothing)
{
	struct prof one = { low, 2, TEXT, 3 };
	struct timeval tick;

	EXPECT_OK(sprofil(&one, 1, &tick, PROF_USHORT | PROF_FAST));
	EXPECT_EQ(tick.tv_usec, 10000);
	spend(TEXT, 200);
	EXPECT_NEAR(low[0], 20, 2);
}

TEST(glibc_sprofil_unknown_flags_are_ignored)
{
	struct prof one = { low, sizeof(low), TEXT, 0x10000 };

	EXPECT_OK(sprofil(&one, 1, NULL, 0xfffffffc));
	EXPECT_HIT(low, TEXT + 2, 1);
}

TEST(glibc_sprofil_has_no_limit_of_its_own)
{
	static struct prof many[1000];
	static unsigned short counters[1000];
	int i;

	for (i = 0; i < 1000; i++)
		many[i] = (struct prof){ &counters[i], 2, TEXT + 16 * i, 0x10000 };
	EXPECT_OK(sprofil(many, 1000, NULL, PROF_USHORT));
	EXPECT_HIT(counters, TEXT + 16 * 999, 999);
	EXPECT_HIT(counters, TEXT + 16 * 500 + 1, 500);
	EXPECT_HIT(counters, TEXT + 16 * 500 + 2, NOWHERE);
}

TEST(glibc_sprofil_second_and_third_call_replace)
{
	struct prof one = { low, sizeof(low), TEXT, 0x10000 };
	struct prof two = { high, sizeof(high), TEXT, 0x10000 };
	struct prof three = { wide, sizeof(wide), TEXT, 0x10000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	spin(TEXT, 1);
	EXPECT_OK(sprofil(&two, 1, NULL, PROF_USHORT));
	spin(TEXT, 2);
	EXPECT_OK(sprofil(&three, 1, NULL, PROF_UINT));
	spin(TEXT, 3);
	EXPECT_EQ(low[0], 1);
	EXPECT_EQ(high[0], 2);
	EXPECT_EQ(wide[0], 3);
}

TEST(glibc_sprofil_pc_below_every_region_is_not_counted)
{
	struct prof one = { low, sizeof(low), TEXT, 0x10000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_HIT(low, TEXT - 1, NOWHERE);
	EXPECT_HIT(low, TEXT, 0);
}

TEST(glibc_sprofil_takes_every_scale)
{
	static const unsigned long scales[] = {
		2, 3, 0x5555, 0x7fff, 0xaaab, 0xc000, 0xfffe, 0xffff, 0x18000,
		0x30000,
	};
	struct prof one = { low, sizeof(low), TEXT, 0 };
	unsigned int i;

	for (i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		one.pr_scale = scales[i];
		EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
		EXPECT_HIT(low, TEXT + 33, (16 * scales[i]) >> 16);
	}
}

TEST(glibc_sprofil_size_0_counts_nothing)
{
	struct prof two[] = {
		{ low, 0, TEXT, 0x10000 },
		{ high, sizeof(high), TEXT - 16, 0x10000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(high, TEXT, 8);
	EXPECT_EQ(SUM(low), 0);
}

TEST(glibc_sprofil_each_sample_has_its_own_region)
{
	struct prof two[] = {
		{ low, sizeof(low), TEXT, 0x10000 },
		{ high, sizeof(high), FAR_TEXT, 0x4000 },
	};
	int i;

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	for (i = 0; i < 4; i++) {
		EXPECT_HIT(high, FAR_TEXT + 80, 10);
		EXPECT_HIT(low, TEXT + 80, 40);
	}
}

TEST(glibc_sprofil_unreadable_array_is_efault)
{
	EXPECT_ERRNO(sprofil(NOT_MAPPED, 1, NULL, 0), EFAULT);
	EXPECT_ERRNO(sprofil(KERNEL_ADDRESS, 1, NULL, 0), EFAULT);
}

TEST(glibc_sprofil_fault_stops_all)
{
	unsigned short *lost = pages(PAGE);
	struct prof two[] = {
		{ lost, PAGE, TEXT, 0x10000 },
		{ high, sizeof(high), FAR_TEXT, 0x10000 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	spin(FAR_TEXT, 1);
	unmap(lost, PAGE);
	spin_until_off(TEXT);
	spend(FAR_TEXT, IDLE_MS);
	EXPECT_EQ(SUM(high), 1);
}

TEST(glibc_sprofil_bad_tvp_is_efault)
{
	struct prof one = { low, sizeof(low), TEXT, 0x10000 };

	EXPECT_ERRNO(sprofil(&one, 1, NOT_MAPPED, 0), EFAULT);
	EXPECT(!profile_is_on());
}

TEST(glibc_sprofil_buffer_outside_user_space_is_efault)
{
	struct prof two[] = {
		{ low, sizeof(low), TEXT, 0x10000 },
		{ KERNEL_ADDRESS, 64, FAR_TEXT, 0x10000 },
	};

	EXPECT_ERRNO(sprofil(two, 2, NULL, 0), EFAULT);
}

TEST(glibc_sprofil_more_than_max_regions_is_e2big)
{
	static struct prof many[4097];
	int i;

	for (i = 0; i < 4097; i++)
		many[i] = (struct prof){ low, 2, TEXT + 16 * i, 0x10000 };
	EXPECT_ERRNO(sprofil(many, 4097, NULL, 0), E2BIG);
	many[0].pr_scale = 0;
	EXPECT_OK(sprofil(many, 4097, NULL, 0));
}

TEST(glibc_sprofil_scale_above_32_bits_is_einval)
{
	struct prof one = { low, sizeof(low), TEXT, 0x100000000 };

	EXPECT_ERRNO(sprofil(&one, 1, NULL, 0), EINVAL);
	one.pr_scale = 0xffffffff;
	EXPECT_OK(sprofil(&one, 1, NULL, 0));
}

TEST(glibc_sprofil_second_overflow_bin_is_ignored)
{
	struct prof two[] = {
		{ low, sizeof(low), 0, 2 },
		{ high, sizeof(high), 0, 2 },
	};

	EXPECT_OK(sprofil(two, 2, NULL, PROF_USHORT));
	EXPECT_HIT(low, TEXT, 0);
	EXPECT_EQ(SUM(high), 0);
}

TEST(glibc_sprofil_error_leaves_the_profile_as_it_was)
{
	struct prof one = { low, sizeof(low), TEXT, 0x10000 };

	EXPECT_OK(sprofil(&one, 1, NULL, PROF_USHORT));
	EXPECT_ERRNO(sprofil(&one, -1, NULL, PROF_USHORT), EINVAL);
	EXPECT_ERRNO(sprofil(NULL, 1, NULL, PROF_USHORT), EFAULT);
	EXPECT_HIT(low, TEXT + 4, 2);
}

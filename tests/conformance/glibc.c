// SPDX-License-Identifier: LGPL-2.1-or-later
/* glibc: profil() and sprofil(), as programs for GNU/Linux call them. */
#include <sys/profil.h>
#include <sys/time.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ticks.h"

#define SYSTEM		glibc
#define PROFIL		profil
#define USER_BUFFERS
#include "every_profil.h"
#define SIZE		size_t
#define OFFSET		size_t
#define PR_OFFSET	pr_off
#define NEGATIVE	EINVAL
#include "every_sprofil.h"

static unsigned int wide_bin[2];

TEST_TYPE(glibc_profil_is_declared_in_unistd_h,
	int (*call)(unsigned short *, size_t, size_t, unsigned int), profil,
	CHECK_OK, buf, sizeof(buf), TEXT, 0x10000)

TEST_INDEXES(glibc_profil_divides_before_it_scales, buf, profil(buf, sizeof(buf), TEXT, scale),
	{ 0x10000, 0, 0 }, { 0x10000, 3, 1 }, { 0xffff, 2, 0 },
	{ 0xffff, 3, 0 }, { 0xffff, 4, 1 }, { 0x8000, 0x10, 4 },
	{ 0x8000, 0x12, 4 }, { 0x4000, 0x17, 2 }, { 0xaaab, 3, 0 },
	{ 0x5555, 0x236, 94 }, { 0x4000, 0x10000, 8192 },
	{ 0xffff, 0x20000, 65535 }, { 3, 0x20000, 3 },
	{ 0x18000, 0x10, 12 }, { 0x20000, 0x10, 16 }, { 0xffffffff, 2, 65535 })

CASE(glibc_profil_null_buffer_stops,
     CHECK_TURNS_OFF(profil(buf, sizeof(buf), TEXT, 0x10000), profil(NULL, 0, 0, 0), buf))

CASE(glibc_profil_counter_wraps,
     CHECK_COUNTS(buf[0], 65534, profil(buf, sizeof(buf), TEXT, 0x10000), 3, 1))

static volatile int signals;

static void on_prof(int sig)
{
	signals += sig == SIGPROF;
}

TEST(glibc_profil_leaves_sigprof_and_its_timer_alone)
{
	struct itimerval timer;

	signal(SIGPROF, on_prof);
	CHECK_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	spin(TEXT, 4);
	CHECK_EQ(signals, 0);
	CHECK_EQ(getitimer(ITIMER_PROF, &timer), 0);
	CHECK_EQ(timer.it_value.tv_sec + timer.it_value.tv_usec, 0);
	raise(SIGPROF);
	CHECK_EQ(signals, 1);
}

TEST(glibc_profil_buffer_may_be_untouched_memory)
{
	unsigned short *untouched = pages(64 * PAGE);

	CHECK_OK(profil(untouched, 64 * PAGE, TEXT, 0x10000));
	spin(TEXT + 2, 1);
	spin(TEXT + 40 * PAGE, 1);
	CHECK_OK(profil(NULL, 0, 0, 0));
	CHECK_EQ(untouched[1], 1);
	CHECK_EQ(untouched[20 * PAGE], 1);
}

TEST(glibc_profil_buffer_may_be_on_the_stack)
{
	unsigned short stack[32] = { 0 };

	CHECK_OK(profil(stack, sizeof(stack), TEXT, 0x10000));
	CHECK_HIT(stack, TEXT + 6, 3);
	CHECK_OK(profil(NULL, 0, 0, 0));
}

TEST(glibc_profil_buffer_around_the_end_of_memory_is_einval)
{
	CHECK_FAILS(profil((void *)-2L, 64, TEXT, 0x8000), EINVAL);
	CHECK_FAILS(profil(buf, -1UL, TEXT, 0x8000), EINVAL);
}

TEST(glibc_profil_error_leaves_the_profile_as_it_was)
{
	CHECK_FAILS(profil(KERNEL_ADDRESS, 64, TEXT, 0x8000), EFAULT);
	CHECK(!profile_is_on());
	CHECK_OK(profil(buf, sizeof(buf), TEXT, 0x10000));
	CHECK_FAILS(profil(KERNEL_ADDRESS, 64, TEXT, 0x8000), EFAULT);
	CHECK_HIT(buf, TEXT + 2, 1);
}

/* What changes the guest is undone before anything is checked. */
#define CHECK_FAILS_AFTER(change, undo, error) do {			\
	int result_, errno_;						\
									\
	CHECK_EQ(change, 0);						\
	result_ = profil(buf, sizeof(buf), TEXT, 0x10000);		\
	errno_ = errno;							\
	CHECK_EQ(undo, 0);						\
	CHECK_EQ(result_, -1);						\
	CHECK_EQ(errno_, error);					\
} while (0)

CASE(glibc_profil_without_permission_is_eacces,
     CHECK_FAILS_AFTER(chmod("/dev/profil", 0600) || seteuid(65534),
		       seteuid(0) || chmod("/dev/profil", 0666), EACCES))
CASE(glibc_profil_without_device_is_enodev,
     CHECK_FAILS_AFTER(rename("/dev/profil", "/dev/profil.away"),
		       rename("/dev/profil.away", "/dev/profil"), ENODEV))

TEST(glibc_profil_without_descriptors_is_emfile)
{
	struct rlimit none = { 0, 0 };

	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	CHECK_FAILS(profil(buf, sizeof(buf), TEXT, 0x10000), EMFILE);
}

TEST(glibc_sprofil_has_libc_prototype_and_flags)
{
	int (*call)(struct prof *, int, struct timeval *, unsigned int) = sprofil;
	struct prof one = { a, sizeof(a), TEXT, 0x10000 };

	CHECK_EQ(PROF_USHORT, 0);
	CHECK_EQ(PROF_UINT, 1);
	CHECK_EQ(PROF_FAST, 2);
	CHECK_OK(call(&one, 1, NULL, 0));
}

TEST_INDEXES(glibc_sprofil_uint_counters_have_4_bytes, wide,
	REGIONS(PROF_UINT, { wide, sizeof(wide), TEXT, scale }),
	{ 0x10000, 3, 0 }, { 0x10000, 4, 1 }, { 0xc000, 6, 0 }, { 0x20000, 2, 0 })

CASE(glibc_sprofil_no_regions_stops, CHECK_TURNS_OFF(
		     REGIONS(PROF_USHORT, { a, sizeof(a), TEXT, 0x10000 }),
		     sprofil(NULL, 0, NULL, 0), a))

TEST(glibc_sprofil_overflow_bin_may_be_anywhere)
{
	CHECK_OK(REGIONS(PROF_UINT, { wide_bin, sizeof(wide_bin), 0, 2 },
			 { wide, sizeof(wide), TEXT, 0x10000 }));
	spin(TEXT + 4, 1);
	spin(TEXT + PAGE, 2);
	spin(TEXT - 8, 3);
	CHECK_OK(sprofil(NULL, 0, NULL, 0));
	CHECK_EQ(wide[1], 1);
	CHECK_EQ(wide_bin[0], 5);
	CHECK_EQ(wide_bin[1], 0);
}

TEST(glibc_sprofil_other_flags_change_nothing)
{
	static const unsigned int flags[] = { PROF_FAST, 0xfffffffc };
	struct prof one = { a, 2, TEXT, 3 };
	struct timeval tick;

	for (unsigned int i = 0; i < COUNT(flags); i++) {
		a[0] = 0;
		CHECK_OK(sprofil(&one, 1, &tick, flags[i]));
		CHECK_EQ(tick.tv_usec, 10000);
		spend(TEXT, 200);
		CHECK_NEAR(a[0], 20, 2);
	}
}

TEST(glibc_sprofil_has_no_limit_of_its_own)
{
	static struct prof many[1000];
	static unsigned short counters[1000];

	for (int i = 0; i < 1000; i++)
		many[i] = (struct prof){ &counters[i], 2, TEXT + 16 * i, 0x10000 };
	CHECK_OK(sprofil(many, 1000, NULL, PROF_USHORT));
	CHECK_HIT(counters, TEXT + 16 * 999, 999);
	CHECK_HIT(counters, TEXT + 16 * 500 + 1, 500);
	CHECK_HIT(counters, TEXT + 16 * 500 + 2, NOWHERE);
}

TEST_HITS(glibc_sprofil_pc_below_every_region_is_not_counted,
	REGIONS(PROF_USHORT, { a, sizeof(a), TEXT, 0x10000 }),
	AT(a, TEXT - 1, NOWHERE), AT(a, TEXT, 0))

TEST_INDEXES(glibc_sprofil_takes_every_scale, a,
	REGIONS(PROF_USHORT, { a, sizeof(a), TEXT, scale }),
	{ 2, 33, 0 }, { 3, 33, 0 }, { 0x5555, 33, 5 }, { 0x7fff, 33, 7 }, { 0xaaab, 33, 10 },
	{ 0xc000, 33, 12 }, { 0xfffe, 33, 15 }, { 0xffff, 33, 15 }, { 0x18000, 33, 24 },
	{ 0x30000, 33, 48 })

CASE(glibc_sprofil_size_0_counts_nothing, region_is_off(0, 0x10000))

TEST(glibc_sprofil_each_sample_has_its_own_region)
{
	struct prof two[] = {
		{ a, sizeof(a), TEXT, 0x10000 },
		{ b, sizeof(b), FAR_TEXT, 0x4000 },
	};

	CHECK_OK(sprofil(two, 2, NULL, PROF_USHORT));
	for (int i = 0; i < 4; i++) {
		CHECK_HIT(b, FAR_TEXT + 80, 10);
		CHECK_HIT(a, TEXT + 80, 40);
	}
}

TEST(glibc_sprofil_buffer_outside_user_space_is_efault)
{
	CHECK_FAILS(REGIONS(0, { a, sizeof(a), TEXT, 0x10000 },
			    { KERNEL_ADDRESS, 64, FAR_TEXT, 0x10000 }), EFAULT);
}

TEST(glibc_sprofil_more_than_max_regions_is_e2big)
{
	static struct prof many[4097];

	for (int i = 0; i < 4097; i++)
		many[i] = (struct prof){ a, 2, TEXT + 16 * i, 0x10000 };
	CHECK_FAILS(sprofil(many, 4097, NULL, 0), E2BIG);
	many[0].pr_scale = 0;
	CHECK_OK(sprofil(many, 4097, NULL, 0));
}

TEST(glibc_sprofil_scale_above_32_bits_is_einval)
{
	struct prof one = { a, sizeof(a), TEXT, 0x100000000 };

	CHECK_FAILS(sprofil(&one, 1, NULL, 0), EINVAL);
	one.pr_scale = 0xffffffff;
	CHECK_OK(sprofil(&one, 1, NULL, 0));
}

TEST(glibc_sprofil_second_overflow_bin_is_ignored)
{
	CHECK_OK(REGIONS(PROF_USHORT, { a, sizeof(a), 0, 2 }, { b, sizeof(b), 0, 2 }));
	CHECK_HIT(a, TEXT, 0);
	CHECK_EQ(SUM(b), 0);
}

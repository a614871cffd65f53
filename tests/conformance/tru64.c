// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tru64 UNIX: profil(2) as its man page has it, and getsysinfo(2). */
#define LIBPROFIL_TRU64_ARGS5
#include <sys/types.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define STARTS(call)	CHECK_QUIET(call)
#include "ticks.h"

#define SYSTEM	tru64
#define PROFIL(array, bytes, offset, scale)	profil(array, bytes, (void *)(offset), scale)
#include "every_profil.h"
_Static_assert(PROFIL_SCALE_STOP == 0 && PROFIL_SCALE_STOP_1 == 1 && PROFIL_SCALE_TOTAL == 2,
	       "scales");

static unsigned int a[64], b[64];
static struct profil_args many[65];

/* Two ranges: the higher one comes first. */
static struct profil_args two[] = {
	{ b, (void *)(FAR_TEXT + 255), (void *)FAR_TEXT, (void *)FAR_TEXT, 0x10000 },
	{ a, (void *)(TEXT + 255), (void *)TEXT, (void *)TEXT, 0x10000 },
};

static void extended(struct profil_args *args, int n)
{
	profil(args, n, -1, 0);
}

/* --- one range -------------------------------------------------------------- */

TEST(tru64_profil_returns_nothing)
{
	void (*call)(unsigned short *, unsigned int, void *, unsigned int) = profil;

	CHECK_QUIET(call(buf, sizeof(buf), (void *)TEXT, 0x10000));
	CHECK_HIT(buf, TEXT + 2, 1);
	CHECK_QUIET(profil(buf, sizeof(buf), (void *)TEXT, 0x10000));
	CHECK_HIT(buf, TEXT + 2, 1);
}

TEST(tru64_getsysinfo_gsi_clk_tck_is_the_sampling_rate)
{
	int hz = 0;

	CHECK_EQ(getsysinfo(GSI_CLK_TCK, (caddr_t)&hz, sizeof(hz), NULL, NULL), 1);
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spend(TEXT, 200);
	CHECK_NEAR(buf[0], hz * 200 / 1000, 2);
	spend(TEXT + 2, 200);
	CHECK_NEAR(buf[1], hz * 200 / 1000, 2);
	idle(100);
	CHECK_EQ(SUM(buf), profile_ticks());
}

TEST_INDEXES(tru64_profil_distance_is_multiplied_by_scale, buf,
	profil(buf, sizeof(buf), (void *)TEXT, scale),
	{ 0x10000, 1, 0 }, { 0x10000, 2, 1 }, { 0x10000, 200, 100 },
	{ 0x8000, 3, 0 }, { 0x8000, 4, 1 }, { 0x8000, 200, 50 },
	{ 0xffff, 2, 0 }, { 0xffff, 3, 1 }, { 0x8000, 0x12, 4 },
	{ 0x4000, 0x17, 2 }, { 0xaaab, 3, 1 }, { 0x5555, 0x236, 94 },
	{ 0xffff, 0x20000, 65535 }, { 3, 0x20000, 3 },
	{ 0x18000, 0x10, 12 })

CASE(tru64_profil_counters_stay_at_65535,
     CHECK_COUNTS(buf[0], 65534, profil(buf, sizeof(buf), (void *)TEXT, 0x10000), 3, 65535))

/* --- several ranges --------------------------------------------------------- */

TEST(tru64_extended_profiles_disjoint_ranges)
{
	CHECK_QUIET(profil(two, 2, -1, 0));
	CHECK_HITS(AT(a, TEXT + 8, 2), AT(b, FAR_TEXT + 12, 3), AT(a, TEXT + PAGE, NOWHERE));
	CHECK_EQ(SUM(b), 0);
}

TEST(tru64_extended_form_is_chosen_by_offset_minus_1)
{
	profil((unsigned short *)two, 2, (void *)-1, 0);
	CHECK_HIT(a, TEXT + 4, 1);
	profil(buf, sizeof(buf), (void *)(TEXT - 1), 0x10000);
	CHECK_HIT(buf, TEXT + 4, 2);
}

TEST(tru64_extended_size_is_the_number_of_structs)
{
	extended(two, 1);
	CHECK_HITS(AT(b, FAR_TEXT, 0), AT(a, TEXT, NOWHERE));
	extended(two, 2);
	CHECK_HIT(a, TEXT, 0);
}

/* profil() returns nothing: errno is all there is to look at. */
#define CHECK_REFUSED(call, value) do {				\
	errno = 0;							\
	call;								\
	CHECK_EQ(errno, value);					\
	CHECK(!profile_is_on());					\
} while (0)

TEST(tru64_extended_takes_64_ranges)
{
	for (int i = 0; i < 65; i++) {
		unsigned long low = TEXT + PAGE - 32 * (unsigned long)i;

		many[i] = (struct profil_args){ a, (void *)(low + 31), (void *)low,
						(void *)low, 0x10000 };
	}
	many[63].buffer = b;
	CHECK_REFUSED(extended(many, 65), E2BIG);
	CHECK_REFUSED(extended(many, -1), E2BIG);
	CHECK_QUIET(extended(many, 64));
	CHECK_EQ(PROFIL_MAX, 64);
	CHECK_HITS(AT(b, TEXT + PAGE - 32 * 63 + 4, 1), AT(a, TEXT + PAGE + 8, 2));
}

TEST(tru64_extended_flags_must_be_0)
{
	CHECK_REFUSED(profil(two, 2, -1, 2), EINVAL);
	CHECK_REFUSED(profil(two, 2, -1, 0x80000000), EINVAL);
	CHECK_QUIET(profil(two, 2, -1, PROFIL_FLAGS_ALL_THREADS));
	CHECK(profile_is_on());
}

TEST(tru64_extended_unreadable_structs_are_efault)
{
	CHECK_REFUSED(extended(NOT_MAPPED, 1), EFAULT);
	CHECK_REFUSED(extended(KERNEL_ADDRESS, 1), EFAULT);
}

TEST(tru64_extended_counters_are_unsigned_int)
{
	a[1] = 0x1ffff;
	a[2] = 0xfffffffe;
	extended(two, 2);
	spin(TEXT + 4, 1);
	spin(TEXT + 8, 3);
	CHECK_EQ(a[1], 0x20000);
	CHECK_EQ(a[2], 0xffffffff);
	CHECK_EQ(a[3], 0);
}

/* Distances from TEXT. */
static void one_range(unsigned long high, unsigned long low, unsigned long offset,
		      unsigned int scale)
{
	struct profil_args one = { a, (void *)(TEXT + high), (void *)(TEXT + low),
				   (void *)(TEXT + offset), scale };

	extended(&one, 1);
}

TEST_HITS(tru64_extended_lowpc_is_the_first_pc, one_range(63, 16, 0, 0x10000),
	AT(a, TEXT + 15, NOWHERE), AT(a, TEXT + 16, 4))

TEST_INDEXES(tru64_extended_members_are_like_profils_arguments, a,
	one_range(255, 0, 0, scale), { 0xc000, 5, 0 }, { 0xc000, 6, 1 }, { 0xc000, 16, 3 },
	{ 0x10000, 255, 63 }, { 0x4000, 255, 15 }, { 2, 255, 0 })
CASE(tru64_extended_scale_1_turns_that_range_off, one_range(255, 0, 0, 1);
     spend(TEXT, IDLE_MS); CHECK_EQ(SUM(a), 0))
TEST_HITS(tru64_extended_highpc_is_the_last_pc, one_range(63, 0, 0, 0x10000),
	AT(a, TEXT + 63, 15), AT(a, TEXT + 64, NOWHERE))

TEST(tru64_extended_offset_is_of_the_first_counter)
{
	one_range(63, 16, 8, 0x10000);
	CHECK_HITS(AT(a, TEXT + 16, 2), AT(a, TEXT + 63, 13));
	/* Nothing below it is counted. */
	one_range(127, 0, 64, 0x10000);
	CHECK_HITS(AT(a, TEXT + 63, NOWHERE), AT(a, TEXT + 64, 0), AT(a, TEXT + 127, 15));
	one_range(127, 0, 128, 0x8000);
	CHECK_HIT(a, TEXT + 127, NOWHERE);
}

TEST(tru64_extended_struct_profil_args_has_five_members)
{
	struct profil_args args;

	CHECK_EQ(sizeof(args), 40);
	CHECK_EQ(sizeof(args.scale), sizeof(unsigned int));
	CHECK_EQ(sizeof(*args.buffer), sizeof(unsigned int));
}

TEST(tru64_extended_padding_of_the_struct_has_no_meaning)
{
	struct profil_args one;

	memset(&one, 0xee, sizeof(one));
	one.buffer = a;
	one.highpc = (void *)(TEXT + 63);
	one.lowpc = one.offset = (void *)TEXT;
	one.scale = 0x10000;
	CHECK_QUIET(extended(&one, 1));
	CHECK_HIT(a, TEXT + 8, 2);
}

TEST(tru64_extended_overlapping_ranges_are_einval)
{
	struct profil_args overlap[] = {
		{ b, (void *)(TEXT + 127), (void *)(TEXT + 64), (void *)TEXT, 0x10000 },
		{ a, (void *)(TEXT + 64), (void *)TEXT, (void *)TEXT, 0x10000 },
	};

	CHECK_REFUSED(extended(overlap, 2), EINVAL);
	overlap[1].highpc = (void *)(TEXT + 63);
	CHECK_QUIET(extended(overlap, 2));
	CHECK(profile_is_on());
}

TEST(tru64_extended_increasing_lowpc_is_einval)
{
	struct profil_args wrong[] = { two[1], two[0] };

	CHECK_REFUSED(extended(wrong, 2), EINVAL);
	CHECK_REFUSED(extended((struct profil_args[]){ two[0], two[0] }, 2), EINVAL);
}

TEST(tru64_extended_memory_fault_turns_that_range_off)
{
	unsigned int *lost = pages(PAGE);
	struct profil_args args[] = { two[0], two[1] };

	args[0].buffer = lost;
	extended(args, 2);
	spin(FAR_TEXT, 1);
	unmap(lost, PAGE);
	spend(FAR_TEXT, IDLE_MS);
	CHECK_HIT(a, TEXT, 0);
}

TEST(tru64_extended_takes_any_buffer_without_complaint)
{
	struct profil_args args[] = { two[0], two[1] };

	args[0].buffer = KERNEL_ADDRESS;
	CHECK_QUIET(extended(args, 2));
	spend(FAR_TEXT, IDLE_MS);
	CHECK_HIT(a, TEXT, 0);
}

CASE(tru64_profil_of_zeroes_stops_the_traditional_form,
     CHECK_TURNS_OFF(profil(buf, sizeof(buf), (void *)TEXT, 0x10000), profil(0, 0, 0, 0), buf))
CASE(tru64_profil_of_zeroes_stops_the_extended_form,
     CHECK_TURNS_OFF(extended(two, 2), profil(0, 0, 0, 0), a))

TEST(tru64_profil_switches_between_forms_at_any_call)
{
	for (int i = 1; i <= 3; i++) {
		profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
		spin(TEXT, 1);
		extended(two, 2);
		spin(TEXT, 1);
		CHECK_EQ(SUM(buf), i);
		CHECK_EQ(SUM(a), i);
	}
	CHECK_EQ(SUM(b), 0);
}

/* --- threads ---------------------------------------------------------------- */

/* Waits for a thread that does fn. */
static void beside(void *(*fn)(void *))
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, fn, NULL), 0);
	pthread_join(thread, NULL);
}

static void *use_ranges(void *unused)
{
	CHECK_QUIET(profil(two, 2, -1, 0));
	spend(TEXT + 8, 200);
	CHECK_QUIET(profil(0, 0, 0, 0));
	return unused;
}

TEST(tru64_threads_use_different_forms_at_the_same_time)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	spend(TEXT, 100);
	beside(use_ranges);
	spend(TEXT, 100);
	profil(0, 0, 0, 0);
	CHECK_NEAR(a[2], 20, 2);
	CHECK_NEAR(buf[0], 20, 4);
	CHECK_EQ(buf[4], 0);
	CHECK_EQ(SUM(buf), profile_ticks());
}

static void *use_ranges_in_turn(void *unused)
{
	profil(two, 2, -1, 0);
	spend(TEXT + 8, 100);
	/* Its own form may change, and what it stops is its own. */
	profil(buf, sizeof(buf), (void *)FAR_TEXT, 0x10000);
	spend(FAR_TEXT, 100);
	profil(0, 0, 0, 0);
	spend(TEXT + 16, 100);
	return unused;
}

TEST(tru64_thread_with_a_form_of_its_own_stops_that)
{
	static unsigned short all[64];

	profil(all, sizeof(all), (void *)TEXT, 0x10000);
	beside(use_ranges_in_turn);
	CHECK(profile_is_on());
	CHECK_NEAR(a[2], 10, 2);
	CHECK_NEAR(buf[0], 10, 2);
	CHECK_NEAR(all[8], 10, 2);
	CHECK_EQ(all[4], 0);
}

static void *replace(void *unused)
{
	profil(buf, sizeof(buf), (void *)(TEXT + 64), 0x10000);
	return unused;
}

TEST(tru64_same_form_in_another_thread_replaces_the_process_s)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	beside(replace);
	CHECK_HIT(buf, TEXT + 64, 0);
}

static void *switch_all(void *unused)
{
	profil(two, 2, -1, PROFIL_FLAGS_ALL_THREADS);
	return unused;
}

TEST(tru64_extended_all_threads_switches_the_process)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	beside(switch_all);
	CHECK_HIT(a, TEXT + 8, 2);
	CHECK_EQ(SUM(buf), 0);
}

static void child_uses_ranges(void)
{
	unsigned int before = a[2];

	spend(TEXT + 8, 100);
	CHECK_NEAR(a[2] - before, 10, 2);
	CHECK_EQ(buf[4], 0);
}

static void *fork_with_ranges(void *unused)
{
	profil(two, 2, -1, 0);
	spend(TEXT + 8, 50);
	in_child(child_uses_ranges);
	return unused;
}

TEST(tru64_form_of_a_thread_stays_on_in_its_fork_child)
{
	profil(buf, sizeof(buf), (void *)TEXT, 0x10000);
	beside(fork_with_ranges);
}

CASE(tru64_extended_stays_on_after_fork, extended(two, 2); counts_on_in_child(a);
     spin(FAR_TEXT, 2); CHECK_EQ(b[0], 2))

/* --- getsysinfo ------------------------------------------------------------- */

TEST(tru64_getsysinfo_stores_an_int_and_returns_1)
{
	int hz[2] = { 0, -1 };

	CHECK_EQ(getsysinfo(GSI_CLK_TCK, (caddr_t)hz, sizeof(hz), NULL, NULL), 1);
	CHECK_EQ(hz[0], sysconf(_SC_CLK_TCK));
	CHECK_EQ(hz[1], -1);
	CHECK_EQ(GSI_CLK_TCK, 42);
}

TEST(tru64_getsysinfo_bad_buffer_is_efault)
{
	CHECK_FAILS(getsysinfo(GSI_CLK_TCK, NOT_MAPPED, 4, NULL, NULL), EFAULT);
	CHECK_FAILS(getsysinfo(GSI_CLK_TCK, NULL, 4, NULL, NULL), EFAULT);
}

TEST(tru64_getsysinfo_small_buffer_or_other_operation_is_einval)
{
	int hz;

	CHECK_FAILS(getsysinfo(GSI_CLK_TCK, (caddr_t)&hz, 3, NULL, NULL), EINVAL);
	CHECK_FAILS(getsysinfo(GSI_CLK_TCK + 1, (caddr_t)&hz, 4, NULL, NULL), EINVAL);
	CHECK_FAILS(getsysinfo(0, (caddr_t)&hz, 4, NULL, NULL), EINVAL);
}

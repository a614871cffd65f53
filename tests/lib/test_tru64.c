// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/tru64.c: what becomes of the arguments of Tru64's calls, and whose it is. */
#include "kernel.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

#define TRU64		PROFIL_DIALECT_TRU64
#define RANGES		PROFIL_DIALECT_TRU64_RANGES

#define REGION(...)	KERNEL_REGION(.size = 64, .scale = 0x8000, ##__VA_ARGS__)
/* Of 128 bytes of text, with a counter for each 4. */
#define RANGE(...)							\
	REGION(.buf = (uintptr_t)wide, .size = 128, .pc_end = TEXT + 128,	\
	       .scale = 0x10000, .width = 4,				\
	       .on_fault = PROFIL_FAULT_STOP_REGION, ##__VA_ARGS__)

static unsigned short counters[64];
static unsigned int wide[64];

static struct profil_args range(unsigned long low, unsigned long high, unsigned long scale)
{
	return (struct profil_args){ wide, (void *)high, (void *)low, scale };
}

static struct profil_args good;	/* is what RANGE() says */

static int boot(void **state)
{
	good = range(TEXT, TEXT + 127, 0x10000);
	return kernel_boot(state);
}

/* profil(buffer, size, offset, scale) */

TEST(arguments_may_have_any_type)
{
	void (*call)(unsigned short *, unsigned int, void *, unsigned int) = profil;

	starts(TRU64, profil(counters, 64, (void *)TEXT, 0x8000), REGION());
	starts(TRU64, profil(counters, 64, arguments_may_have_any_type, 0x8000),
	       REGION(.offset = (uintptr_t)arguments_may_have_any_type));
	starts(TRU64, call(counters, 64, (void *)TEXT, 0x8000), REGION());
	starts(RANGES, profil(&good, 1, -1, 0), RANGE());
	starts(RANGES, profil(&good, 1, -1L, 0), RANGE());
	starts(RANGES, profil(&good, 1, (void *)-1, 0), RANGE());
	starts(RANGES, profil((unsigned short *)&good, 1, (char *)-1, 0), RANGE());
}

/* profil(args, n, -1, flags) */

TEST(the_last_pc_is_in_the_last_counter)
{
	static const struct { unsigned long high, scale, size; } rows[] = {
		{ TEXT, 0x10000, 4 }, { TEXT + 3, 0x10000, 4 }, { TEXT + 4, 0x10000, 8 },
		{ TEXT + 127, 0x10000, 128 }, { TEXT + 127, 0x8000, 64 },
		{ TEXT + 128, 0x8000, 68 }, { TEXT + 127, 0x20000, 256 },
		{ TEXT + 0x2ffff, 3, 12 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct profil_args args = range(TEXT, rows[i].high, rows[i].scale);

		starts(RANGES, profil(&args, 1, -1, 0),
		       RANGE(.size = rows[i].size, .pc_end = rows[i].high + 1,
			     .scale = rows[i].scale));
	}
}

TEST(flags_and_scales_are_looked_at_with_all_their_bits)
{
	struct profil_args args = range(TEXT, TEXT + 127, 0x100000000UL);

	fails(EINVAL, profil(&args, 1, -1, 0));
	fails(EINVAL, profil_tru64(&good, 1, (void *)-1, 0x100000000UL));
}

/* 2^56 bytes of text at 256 counter bytes each: 2^64. */
TEST(a_range_longer_than_any_buffer_counts_what_fits)
{
	const uint64_t all = KERNEL_USER_END - (uintptr_t)wide;
	struct profil_args args[3] = {
		range(TEXT + (1UL << 57), UINTPTR_MAX, 0xffffffff),
		range(TEXT + 4096, TEXT + 4096 + (1UL << 56), 1UL << 24),
		good,
	};

	starts(RANGES, profil(args, 3, -1, 0),
	       RANGE(.size = all, .offset = TEXT + (1UL << 57), .pc_end = 0, .scale = 0xffffffff),
	       RANGE(.size = all, .offset = TEXT + 4096,
		     .pc_end = TEXT + 4097 + (1UL << 56), .scale = 1U << 24), RANGE());
}

/* Threads: whose profile it is, as the forms that are on say. */

#define BUFFER	profil(counters, 64, TEXT, 0x8000)
#define ARRAY	profil(&good, 1, -1, 0)

static void assert_tags(uint32_t process, uint32_t own)
{
	assert_int_equal(kernel.status.tag, process);
	assert_int_equal(kernel.own.tag, own);
}

TEST(all_threads_are_the_process_and_the_caller)
{
	kernel_run(PROFIL_MODE_HISTOGRAM, TRU64);
	kernel.beside = true;
	kernel.own.state = PROFIL_STATE_ON;
	kernel.start_error = EPERM;
	fails(EPERM, profil(&good, 1, -1, PROFIL_FLAGS_ALL_THREADS));
	assert_int_equal(kernel.own.state, PROFIL_STATE_ON);
	kernel.start_error = 0;
	profil(&good, 1, -1, PROFIL_FLAGS_ALL_THREADS);
	assert_tags(RANGES, 0);
	assert_int_equal(kernel.own_stops, 1);
	assert_int_equal(kernel.own_histograms, 0);
}

/* getsysinfo() */

TEST(getsysinfo_tells_the_clock_rate)
{
	int ticks[2] = { 0, 77 };

	kernel.features.period_ns[PROFIL_RATE_CLOCK] = 3333334;
	errno = ERANGE;
	assert_int_equal(getsysinfo(GSI_CLK_TCK, ticks, 8, 0, 0, 0), 1);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(ticks[0], 300);
	assert_int_equal(ticks[1], 77);
	kernel.open_error = ENOENT;
	assert_errno(getsysinfo(GSI_CLK_TCK, ticks, 4, 0, 0), ENODEV);
}

CASE(a_start_that_is_refused_says_why, start_fails_with_reason(BUFFER);
     start_fails_with_reason(ARRAY))

UNIT_MAIN("tru64", boot, kernel_halt, NULL, NULL)

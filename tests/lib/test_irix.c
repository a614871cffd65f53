// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/irix.c: what becomes of the arguments of IRIX's calls. */
#include "kernel.h"

#include <libprofil.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>

#define IRIX		PROFIL_DIALECT_IRIX

#define REGION(...)							\
	KERNEL_REGION(.scale = 0x8000, .on_fault = PROFIL_FAULT_STOP_REGION, \
		      ##__VA_ARGS__)
#define OVERFLOW_BIN							\
	REGION(.offset = 0, .scale = 0, .flags = PROFIL_REGION_CATCH_ALL)

static unsigned short counters[64];

static struct prof entry(unsigned long offset, unsigned int scale)
{
	return (struct prof){ counters, sizeof(counters), offset, scale };
}

static int one(unsigned long offset, unsigned int scale, unsigned int flags)
{
	struct prof p = entry(offset, scale);

	return sprofil(&p, 1, NULL, flags);
}

TEST(sprofil_is_a_region_per_entry)
{
	static const unsigned int scales[] = { 2, 3, 0xffff, 0x20000, 0xffffffff };
	struct prof p[4] = { entry(TEXT, 0), { counters, 0, TEXT + 64, 0x4000 },
			     entry(TEXT, 0x8000), entry(0, 1) };

	starts(IRIX, sprofil(p, 4, NULL, PROF_USHORT),
	       REGION(.size = 0, .offset = TEXT + 64, .scale = 0x4000), REGION());
	starts(IRIX, one(TEXT, 0x8000, PROF_UINT), REGION(.width = 4));
	starts(IRIX, one(0, 3, PROF_USHORT), REGION(.offset = 0, .scale = 3));
	for (size_t i = 0; i < ARRAY_SIZE(scales); i++)
		starts(IRIX, one(TEXT, scales[i], PROF_USHORT), REGION(.scale = scales[i]));
	stops(one(TEXT, 0, PROF_USHORT));
}

TEST(more_regions_than_the_module_takes_are_e2big)
{
	struct prof p[3] = { entry(TEXT, 0x8000), entry(TEXT, 0x8000), entry(TEXT, 0x8000) };

	kernel.features.max_regions = 2;
	fails(E2BIG, sprofil(p, 3, NULL, PROF_USHORT));
	starts(IRIX, sprofil(p, 2, NULL, PROF_USHORT), REGION(), REGION());
}

TEST(sprofil_has_an_overflow_bin)
{
	struct prof p[2] = { entry(TEXT, 0x8000), entry(0, 2) };

	starts(IRIX, sprofil(p, 2, NULL, PROF_USHORT), REGION(), OVERFLOW_BIN);
}

TEST(sprofil_has_two_rates_and_tells_which)
{
	struct prof p = entry(TEXT, 0x8000);
	struct timeval tv = { 5, 5 };

	starts(IRIX, sprofil(&p, 1, &tv, PROF_USHORT), REGION());
	assert_int_equal(tv.tv_sec, 0);
	assert_int_equal(tv.tv_usec, 10000);
	assert_int_equal(kernel.histogram.rate, PROFIL_RATE_CLOCK);
	starts(IRIX, sprofil(&p, 1, &tv, PROF_UINT | PROF_FAST), REGION(.width = 4));
	assert_int_equal(tv.tv_usec, 1000);
	assert_int_equal(kernel.histogram.rate, PROFIL_RATE_FAST);
	/* EACCES goes before other errors. */
	kernel.features.rates = 1U << PROFIL_RATE_CLOCK;
	fails(EACCES, sprofil(&p, 1, NULL, PROF_UINT | PROF_FAST));
	fails(EACCES, sprofil(&p, 0, NULL, PROF_UINT | PROF_FAST));
	starts(IRIX, sprofil(&p, 1, NULL, PROF_UINT), REGION(.width = 4));
}

TEST(sprofil_leaves_out_impossible_buffers)
{
	struct prof p[3] = { entry(TEXT, 2), entry(TEXT, 0x8000), entry(TEXT, 2) };

	p[0].pr_base = KERNEL_MEMORY;
	p[2].pr_base = (void *)(UINTPTR_MAX - 5);
	starts(IRIX, sprofil(p, 3, NULL, PROF_USHORT), REGION());
}

TEST(profil_is_an_sprofil_of_one_short_entry)
{
	starts(IRIX, profil(counters, 128, TEXT, 0x8000), REGION());
	starts(IRIX, profil(counters, 128, 0, 2), OVERFLOW_BIN);
	starts(IRIX, profil(counters, 128, 0x555555554000UL, 0x8000),
	       REGION(.offset = 0x555555554000));
	stops(profil(NULL, 0, 0, 0));
	stops(profil(counters, 128, TEXT, 1));
}

TEST(a_start_that_is_refused_says_why)
{
	start_fails_with_reason(one(TEXT, 0x8000, PROF_USHORT));
	start_fails_with_reason(profil(counters, 128, TEXT, 0x8000));
}

UNIT_MAIN("irix", kernel_boot, kernel_halt, NULL, NULL)

// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/glibc.c: what becomes of the arguments of the default dialect. */
#include "kernel.h"

/* libc's declaration says that the buffer is never null. */
#define profil libc_profil
#include <unistd.h>
#undef profil
int profil(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale);

#include <libprofil.h>
#include <limits.h>
#include <stdio.h>
#include <sys/profil.h>

#define PROFIL		PROFIL_DIALECT_GLIBC_PROFIL
#define SPROFIL		PROFIL_DIALECT_GLIBC_SPROFIL

#define REGION(...)							\
	KERNEL_REGION(.scale = 0x8000, .index = PROFIL_INDEX_ELEMENT, .at_limit = PROFIL_LIMIT_WRAP, \
		      ##__VA_ARGS__)
#define SREGION(...)	REGION(.at_limit = PROFIL_LIMIT_SATURATE, ##__VA_ARGS__)
#define OVERFLOW_BIN(...)						\
	SREGION(.size = 2, .offset = 0, .scale = 0,			\
		.flags = PROFIL_REGION_CATCH_ALL, ##__VA_ARGS__)

static unsigned short counters[64];
static const struct prof good = { counters, sizeof(counters), TEXT, 0x8000 };

static int one(struct prof p, unsigned int flags)
{
	return sprofil(&p, 1, NULL, flags);
}

static struct prof with_scale(unsigned long scale)
{
	return (struct prof){ counters, sizeof(counters), TEXT, scale };
}

/* profil() */

TEST(profil_is_one_region)
{
	static const unsigned int scales[] = { 3, 0xffff, 0x10000, 0x10001,
					       0x20000, UINT_MAX };
	unsigned short *odd = (unsigned short *)((char *)counters + 1);

	starts(PROFIL, profil(counters, 128, TEXT, 0x8000), REGION());
	assert_int_equal(kernel.histogram.rate, PROFIL_RATE_CLOCK);
	assert_int_equal(kernel.histogram.flags, 0);
	starts(PROFIL, profil(counters, 128, TEXT, 2), REGION(.scale = 0));
	starts(PROFIL, profil(counters, 128, 0, 2), REGION(.offset = 0, .scale = 0));
	starts(PROFIL, profil(counters, 128, 0, 0x8000), REGION(.offset = 0));
	starts(PROFIL, profil(counters, 128, SIZE_MAX, 0x8000), REGION(.offset = SIZE_MAX));
	starts(PROFIL, profil(counters, 0, TEXT, 0x8000), REGION(.size = 0));
	starts(PROFIL, profil(odd, 13, TEXT, 0x8000),
	       REGION(.buf = (uintptr_t)odd, .size = 13));
	for (size_t i = 0; i < ARRAY_SIZE(scales); i++)
		starts(PROFIL, profil(counters, 128, TEXT, scales[i]),
		       REGION(.scale = scales[i]));
}

TEST(profil_stops_without_a_buffer_or_scale)
{
	stops(profil(NULL, 64, TEXT, 0));
	stops(profil(NULL, 64, TEXT, 2));
	stops(profil(NULL, 64, TEXT, 0x20000));
	stops(profil(counters, 128, TEXT, 0));
	stops(profil(counters, 128, TEXT, 1));
	kernel_run(PROFIL_MODE_SAMPLES, PROFIL_DIALECT_PCSAMPLE);
	assert_success(profil(NULL, 0, 0, 0));
	assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
}

/* sprofil() */

TEST(sprofil_is_a_region_per_entry)
{
	struct prof p[100];

	starts(SPROFIL, one(good, PROF_USHORT), SREGION());
	starts(SPROFIL, one(good, PROF_UINT), SREGION(.width = 4));
	starts(SPROFIL, one(with_scale(2), 0), SREGION(.scale = 2));
	starts(SPROFIL, one(with_scale(UINT_MAX), 0), SREGION(.scale = UINT_MAX));
	kernel.features.rates = 1U << PROFIL_RATE_CLOCK;
	starts(SPROFIL, one(good, PROF_FAST | 0xfffffff8), SREGION());
	for (int i = 0; i < 100; i++)
		p[i] = (struct prof){ counters, 2, TEXT + 64 * (i % 7), 0x8000 };
	assert_success(sprofil(p, 100, NULL, 0));
	assert_int_equal(kernel.histogram.nregions, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(kernel.regions[i].offset, TEXT + 64 * (i % 7));
}

TEST(sprofil_has_an_overflow_bin_anywhere)
{
	struct prof bin = { counters, 2, 0, 2 }, again = { counters + 1, 2, 0, 2 };

	starts(SPROFIL, one(bin, 0), OVERFLOW_BIN());
	starts(SPROFIL, sprofil((struct prof[]){ bin, good, good }, 3, NULL, 0),
	       OVERFLOW_BIN(), SREGION(), SREGION());
	starts(SPROFIL, sprofil((struct prof[]){ good, bin, good }, 3, NULL, 0),
	       SREGION(), OVERFLOW_BIN(), SREGION());
	/* The second gets nothing. */
	starts(SPROFIL, sprofil((struct prof[]){ bin, again }, 2, NULL, 0),
	       OVERFLOW_BIN());
}

TEST(sprofil_of_nothing_stops)
{
	struct prof p[2] = { with_scale(0), with_scale(1) };

	stops(sprofil(p, 2, NULL, 0));
	stops(sprofil(NULL, 0, NULL, 0));
	fails(EFAULT, sprofil(NULL, 0, (struct timeval *)16, 0));
}

TEST(sprofil_tells_the_period_to_the_nearest_microsecond)
{
	static const struct { unsigned int ns; long sec, usec; } rows[] = {
		{ 10000000, 0, 10000 }, { 1003333333, 1, 3333 }, { 976562, 0, 977 },
	};

	for (int i = 0; i < 3; i++) {
		struct prof p = good;
		struct timeval tv = { 7, 7 };

		kernel.features.period_ns[PROFIL_RATE_CLOCK] = rows[i].ns;
		assert_success(sprofil(&p, i % 2, &tv, 0));
		assert_int_equal(tv.tv_sec, rows[i].sec);
		assert_int_equal(tv.tv_usec, rows[i].usec);
		p.pr_base = KERNEL_MEMORY;
		tv.tv_sec = 7;
		fails(EFAULT, sprofil(&p, 1, &tv, 0));
		assert_int_equal(tv.tv_sec, 7);
	}
}

/* Pages of address space, from the real kernel. */
static long address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld", &pages), 1);
	fclose(file);
	return pages;
}

TEST(sprofil_leaves_no_memory_behind)
{
	struct prof p[1000] = { 0 };
	long before = address_space();

	for (int i = 0; i < 1000; i++)
		assert_success(sprofil(p, 1000, NULL, 0));
	assert_true(address_space() - before < 1000);
}

TEST(a_start_that_is_refused_says_why)
{
	start_fails_with_reason(profil(counters, 128, TEXT, 0x8000));
	start_fails_with_reason(one(good, 0));
	kernel.open_error = ENOENT;
	fails(ENODEV, profil(NULL, 0, 0, 0));
	fails(ENODEV, sprofil(NULL, 0, NULL, 0));
}

UNIT_MAIN("glibc", kernel_boot, kernel_halt, NULL, NULL)

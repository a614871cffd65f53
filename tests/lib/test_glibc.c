// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/glibc.c: what becomes of the arguments of the default dialect. */
#include "kernel.h"

/* libc's declaration says that the buffer is never null. */
#define profil libc_profil
#include <unistd.h>
#undef profil
int profil(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale);

#include <sys/profil.h>

#define PROFIL		PROFIL_DIALECT_GLIBC_PROFIL
#define SPROFIL		PROFIL_DIALECT_GLIBC_SPROFIL

#define REGION(...)							\
	KERNEL_REGION(.scale = 0x8000, .index = PROFIL_INDEX_ELEMENT, .at_limit = PROFIL_LIMIT_WRAP, \
		      ##__VA_ARGS__)
static unsigned short counters[64];
static struct prof good = { counters, sizeof(counters), TEXT, 0x8000 };

TEST(each_call_has_one_region_an_entry)
{
	starts(PROFIL, profil(counters, 128, SIZE_MAX, 0x8000), REGION(.offset = SIZE_MAX));
	assert_int_equal(kernel.histogram.flags, 0);
	starts(SPROFIL, sprofil(&good, 1, NULL, PROF_UINT),
	       REGION(.width = 4, .at_limit = PROFIL_LIMIT_SATURATE));
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
	start_fails_with_reason(sprofil(&good, 1, NULL, 0));
	kernel.open_error = ENOENT;
	fails(ENODEV, profil(NULL, 0, 0, 0));
	fails(ENODEV, sprofil(NULL, 0, NULL, 0));
}

UNIT_MAIN("glibc", kernel_boot, kernel_halt, NULL, NULL)

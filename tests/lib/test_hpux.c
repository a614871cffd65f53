// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/hpux.c: what becomes of the arguments of HP-UX's calls. */
#include "kernel.h"

#include <sys/profil.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define HPUX		PROFIL_DIALECT_HPUX

#define REGION(...)	KERNEL_REGION(.scale = 0x8000, ##__VA_ARGS__)

static unsigned long long counters[64];

static struct prof entry(unsigned long offset, unsigned int scale)
{
	return (struct prof){ counters, sizeof(counters), (void *)offset, scale };
}

TEST(sprofil_is_a_region_per_entry)
{
	struct prof p[3] = { entry(TEXT, 0), entry(TEXT, 0x8000), entry(TEXT, 0x4000) };

	/* A region that is off may have any size. */
	p[0].pr_size = 0;
	starts(HPUX, sprofil(p, 3, NULL, PROF_USHORT), REGION(), REGION(.scale = 0x4000));
	p[0] = entry(TEXT, 131072);
	starts(HPUX, sprofil(p, 1, NULL, PROF_UINT64), REGION(.scale = 131072, .width = 8));
}

TEST(profil_max_is_at_most_what_the_module_takes)
{
	struct prof p[3] = { entry(TEXT, 0x8000), entry(TEXT, 0x8000), entry(TEXT, 0x8000) };

	assert_int_equal(sysconf(_SC_PROFIL_MAX), 100);
	kernel.features.max_regions = 2;
	assert_int_equal(sysconf(_SC_PROFIL_MAX), 2);
	fails(E2BIG, sprofil(p, 3, NULL, PROF_USHORT));
	kernel.open_error = ENOENT;
	errno = ERANGE;
	assert_int_equal(sysconf(_SC_PROFIL_MAX), 100);
	assert_int_equal(errno, ERANGE);
}

TEST(a_start_that_is_refused_says_why)
{
	struct prof p = entry(TEXT, 0x8000);

	start_fails_with_reason(sprofil(&p, 1, NULL, PROF_USHORT));
	start_fails_with_reason(profil((unsigned short *)counters, 64, TEXT, 0x8000));
	kernel.open_error = ENOENT;
	fails(ENODEV, sprofil(NULL, 0, NULL, 0));
}

UNIT_MAIN("hpux", kernel_boot, kernel_halt, NULL, NULL)

// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/irix.c: what becomes of the arguments of IRIX's calls. */
#include "kernel.h"

#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>

#define IRIX		PROFIL_DIALECT_IRIX

#define REGION(...)							\
	KERNEL_REGION(.scale = 0x8000, .on_fault = PROFIL_FAULT_STOP_REGION, \
		      ##__VA_ARGS__)
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
	struct prof p[4] = { entry(TEXT, 0), { counters, 0, TEXT + 64, 0x4000 },
			     entry(TEXT, 0x8000), entry(TEXT, 2) };

	/* Impossible buffers are left out. */
	p[3].pr_base = (void *)(UINTPTR_MAX - 5);

	starts(IRIX, sprofil(p, 4, NULL, PROF_USHORT),
	       REGION(.size = 0, .offset = TEXT + 64, .scale = 0x4000), REGION());
	starts(IRIX, one(0, 3, PROF_UINT), REGION(.offset = 0, .scale = 3, .width = 4));
}

TEST(more_regions_than_the_module_takes_are_e2big)
{
	struct prof p[3] = { entry(TEXT, 0x8000), entry(TEXT, 0x8000), entry(TEXT, 0x8000) };

	kernel.features.max_regions = 2;
	fails(E2BIG, sprofil(p, 3, NULL, PROF_USHORT));
	starts(IRIX, sprofil(p, 2, NULL, PROF_USHORT), REGION(), REGION());
}

TEST(a_rate_that_the_module_refuses_is_eacces_first)
{
	struct prof p = entry(TEXT, 0x8000);

	kernel.features.rates = 1U << PROFIL_RATE_CLOCK;
	fails(EACCES, sprofil(&p, 1, NULL, PROF_UINT | PROF_FAST));
	fails(EACCES, sprofil(&p, 0, NULL, PROF_UINT | PROF_FAST));
	starts(IRIX, sprofil(&p, 1, NULL, PROF_UINT), REGION(.width = 4));
}

CASE(a_start_that_is_refused_says_why,
     start_fails_with_reason(one(TEXT, 0x8000, PROF_USHORT));
     start_fails_with_reason(profil(counters, 128, TEXT, 0x8000)))

UNIT_MAIN("irix", kernel_boot, kernel_halt, NULL, NULL)

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

#define ENTRY	{ counters, sizeof(counters), TEXT, 0x8000 }
static struct prof three[] = { ENTRY, ENTRY, ENTRY };

TEST(more_regions_than_the_module_takes_are_e2big)
{
	kernel.features.max_regions = 2;
	fails(E2BIG, sprofil(three, 3, NULL, PROF_USHORT));
	starts(IRIX, sprofil(three, 2, NULL, PROF_USHORT), REGION(), REGION());
}

CASE(a_start_that_is_refused_says_why,
     start_fails_with_reason(sprofil(three, 1, NULL, PROF_USHORT));
     start_fails_with_reason(profil(counters, 128, TEXT, 0x8000)))

UNIT_MAIN("irix", kernel_boot, kernel_halt, NULL, NULL)

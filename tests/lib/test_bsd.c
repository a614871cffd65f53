// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/bsd.c: what becomes of the arguments of the BSDs' profil(). */
#include "kernel.h"

#include <unistd.h>

int profil_bsd_man(char *samples, size_t size, unsigned long offset,
		   unsigned int scale);

#define BSD		PROFIL_DIALECT_BSD

#define REGION(...)							\
	KERNEL_REGION(.scale = 32768, .at_limit = PROFIL_LIMIT_WRAP, \
		      ##__VA_ARGS__)

static char counters[128];

TEST(the_arguments_are_one_region)
{
	starts(BSD, profil(counters, 128, TEXT, 32768), REGION());
	starts(BSD, profil(counters, 128, TEXT, 65536), REGION(.scale = 65536));
	starts(BSD, profil(counters, 0, TEXT, 32768), REGION(.size = 0));
	for (unsigned int scale = 1; scale < 3; scale++) {
		starts(BSD, profil(counters, 128, TEXT, scale), REGION(.scale = scale));
		starts(BSD, profil(counters, 128, 0, scale),
		       REGION(.offset = 0, .scale = scale));
	}
	stops(profil(counters, 128, TEXT, 0));
	/* Before the buffer is looked at. */
	fails(EINVAL, profil_bsd_man(KERNEL_MEMORY, 64, TEXT, 65537));
}

CASE(a_start_that_is_refused_says_why,
     start_fails_with_reason(profil(counters, 128, TEXT, 32768));
     start_fails_with_reason(profil_bsd_man(counters, 128, TEXT, 32768)))

UNIT_MAIN("bsd", kernel_boot, kernel_halt, NULL, NULL)

// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/bsd.c: what becomes of the arguments of the BSDs' profil(). */
#include "kernel.h"

#include <unistd.h>

int profil_bsd_man(char *samples, size_t size, unsigned long offset, unsigned int scale);

#define BSD		PROFIL_DIALECT_BSD

static char counters[128];

TEST(a_scale_is_looked_at_before_the_buffer)
{
	starts(BSD, profil(counters, 128, TEXT, 1), KERNEL_REGION(.scale = 1, .at_limit = PROFIL_LIMIT_WRAP));
	fails(EINVAL, profil_bsd_man(KERNEL_MEMORY, 64, TEXT, 65537));
}

CASE(a_start_that_is_refused_says_why, start_fails_with_reason(profil(counters, 128, TEXT, 32768));
     start_fails_with_reason(profil_bsd_man(counters, 128, TEXT, 32768)))

UNIT_MAIN("bsd", kernel_boot, kernel_halt, NULL, NULL)

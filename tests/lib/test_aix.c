// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/aix.c: what becomes of the arguments of AIX's profil(). */
#include "kernel.h"

#include <mon.h>

#define AIX		PROFIL_DIALECT_AIX
#define RANGES		PROFIL_DIALECT_AIX_RANGES
#define TERMINATOR	{ (char *)1, NULL, KERNEL_MEMORY, -5, 77 }

/* The row of the table of dialects. */
#define REGION(...)							\
	KERNEL_REGION(.scale = 0x8000, .index = PROFIL_INDEX_BYTE_UP, \
		      ##__VA_ARGS__)

static unsigned short counters[64];
static const struct prof off[1] = { TERMINATOR };

static struct prof range(unsigned long low, unsigned long high, unsigned int scale)
{
	return (struct prof){ (char *)low, (char *)high, counters, sizeof(counters), scale };
}

TEST(there_may_be_many_ranges)
{
	struct prof *p = calloc(1001, sizeof(*p));

	for (unsigned long i = 0; i < 1000; i++)
		p[i] = range(TEXT + 64 * i, TEXT + 64 * i + 64, 0x8000);
	assert_success(profil(p, -1, 0, 0));
	assert_int_equal(kernel.histogram.nregions, 1000);
	kernel.features.max_regions = 999;
	kernel_run(PROFIL_MODE_HISTOGRAM, PROFIL_DIALECT_SOLARIS);
	assert_errno(profil(p, -1, 0, 0), EFAULT);
	free(p);
}

TEST(scale_minus_1_is_computed)
{
	static const struct { unsigned long text; unsigned int scale; } rows[] = {
		{ 128, 0xffff }, { 64, 0xffff }, { 129, 65027 },
		{ 256, 0x8000 }, { 1024, 0x2000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct prof p[2] = { range(TEXT, TEXT + rows[i].text, -1), TERMINATOR };

		starts(RANGES, profil(p, -1, 0, 0),
		       REGION(.pc_end = TEXT + rows[i].text, .scale = rows[i].scale));
	}
}

TEST(bad_arguments_are_found)
{
	struct prof p[3] = { range(TEXT + 4096, TEXT + 8192, 0x8000),
			     range(TEXT, TEXT + 8193, 0x8000), TERMINATOR };

	/* Only p_high must ascend. */
	starts(RANGES, profil(p, -1, 0, 0), REGION(.offset = TEXT + 4096, .pc_end = TEXT + 8192),
	       REGION(.pc_end = TEXT + 8193));
	p[0].p_high = p[0].p_low - 1;
	fails(EINVAL, profil(p, -1, 0, 0));
	p[0].p_scale = -1;
	fails(EINVAL, profil(p, -1, 0, 0));
	p[0] = range(TEXT, TEXT + 128, 0x8000);
	p[0].p_bufsize = -2;
	fails(EFAULT, profil(p, -1, 0, 0));
	/* "not enough resources to lock the buffer" */
	kernel.start_error = ENOMEM;
	fails(EFAULT, profil(counters, sizeof(counters), TEXT, 0x8000));
}

TEST(either_form_off_ends_another_system_s_profile)
{
	kernel_run(PROFIL_MODE_SAMPLES, PROFIL_DIALECT_PCSAMPLE);
	assert_success(profil((void *)off, -1, 0, 0));
	assert_int_equal(kernel.stops, 1);
}

TEST(a_start_that_is_refused_says_why)
{
	struct prof p[2] = { range(TEXT, TEXT + 128, 0x8000), TERMINATOR };

	start_fails_with_reason(profil(counters, sizeof(counters), TEXT, 0x8000));
	start_fails_with_reason(profil(p, -1, 0, 0));
}

UNIT_MAIN("aix", kernel_boot, kernel_halt, NULL, NULL)

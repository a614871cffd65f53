// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/solaris.c: what becomes of the arguments of profil() and pcsample(). */
#include "kernel.h"

#include <pcsample.h>
#include <unistd.h>

#define SOLARIS		PROFIL_DIALECT_SOLARIS

static unsigned short counters[64];
static uintptr_t samples[64];

TEST(a_buffer_beyond_user_space_counts_what_fits)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX / 2, KERNEL_USER_END };

	stops(profil(KERNEL_MEMORY, 64, TEXT, 0x4000));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		starts(SOLARIS, profil(counters, sizes[i], TEXT, 0x4000),
		       KERNEL_REGION(.size = KERNEL_USER_END - (uintptr_t)counters,
				     .scale = 0x4000, .limit = 32767,
				     .at_limit = PROFIL_LIMIT_STOP));
		assert_success(pcsample(samples, (long)(sizes[i] / 8)));
		assert_int_equal(kernel.samples.buf, (uintptr_t)samples);
		assert_int_equal(kernel.samples.nsamples, (KERNEL_USER_END - (uintptr_t)samples) /
				 sizeof(uintptr_t));
	}
}

/* pcsample() */

TEST(pcsample_leaves_errno_alone)
{
	assert_success(pcsample(samples, 64));
	assert_int_equal(kernel.samples.flags, 0);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_PCSAMPLE);
	kernel.status.nsamples = 17;
	errno = ERANGE;
	assert_int_equal(pcsample(samples, 0), 17);
	assert_int_equal(errno, ERANGE);
}

TEST(a_start_that_is_refused_says_why)
{
	start_fails_with_reason(pcsample(samples, 64));
	start_fails_with_reason(profil(counters, 64, TEXT, 0x4000));
	kernel.start_error = ENOMEM;
	fails(ENOMEM, pcsample(samples, 64));
	kernel.open_error = ENOENT;
	fails(ENODEV, pcsample(samples, 0));
}

UNIT_MAIN("solaris", kernel_boot, kernel_halt, NULL, NULL)

// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/solaris.c: what becomes of the arguments of profil() and pcsample(). */
#include "kernel.h"

#include <limits.h>
#include <pcsample.h>
#include <unistd.h>

#define SOLARIS		PROFIL_DIALECT_SOLARIS

#define REGION(...)							\
	KERNEL_REGION(.scale = 0x4000, .limit = 32767, .at_limit = PROFIL_LIMIT_STOP, \
		      ##__VA_ARGS__)

static unsigned short counters[64];
static uintptr_t samples[64];

TEST(profil_is_one_region)
{
	starts(SOLARIS, profil(counters, 128, TEXT, 0x4000), REGION());
	starts(SOLARIS, profil(NULL, 128, TEXT, 0x4000), REGION(.buf = 0));
	starts(SOLARIS, profil(counters, 128, TEXT, UINT_MAX), REGION(.scale = UINT_MAX));
}

TEST(a_buffer_beyond_user_space_counts_what_fits)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX / 2, KERNEL_USER_END };

	stops(profil(KERNEL_MEMORY, 64, TEXT, 0x4000));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		starts(SOLARIS, profil(counters, sizes[i], TEXT, 0x4000),
		       REGION(.size = KERNEL_USER_END - (uintptr_t)counters));
		assert_success(pcsample(samples, (long)(sizes[i] / 8)));
		assert_int_equal(kernel.samples.buf, (uintptr_t)samples);
		assert_int_equal(kernel.samples.nsamples,
				 (KERNEL_USER_END - (uintptr_t)samples) /
				 sizeof(uintptr_t));
	}
}

/* pcsample() */

TEST(pcsample_stores_pointers)
{
	assert_success(pcsample(samples, 64));
	assert_int_equal(kernel.status.mode, PROFIL_MODE_SAMPLES);
	assert_int_equal(kernel.samples.buf, (uintptr_t)samples);
	assert_int_equal(kernel.samples.nsamples, 64);
	assert_int_equal(kernel.samples.width, sizeof(void *));
	assert_int_equal(kernel.samples.rate, PROFIL_RATE_CLOCK);
	assert_int_equal(kernel.samples.flags, 0);
	assert_int_equal(kernel.status.tag, PROFIL_DIALECT_PCSAMPLE);
}

TEST(pcsample_returns_what_was_stored_since_the_last_call)
{
	static const struct { uint32_t state; int count; long next; } rows[] = {
		{ PROFIL_STATE_ON, 17, 32 }, { PROFIL_STATE_ON, 5, 0 },
		{ PROFIL_STATE_FULL, 64, 0 }, { PROFIL_STATE_FAULT, 11, 64 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		errno = ERANGE;
		assert_success(pcsample(samples, 0));
		assert_success(pcsample(samples, 64));
		kernel.status.state = rows[i].state;
		kernel.status.nsamples = (uint64_t)rows[i].count;
		assert_int_equal(pcsample(samples, rows[i].next), rows[i].count);
		assert_int_equal(errno, ERANGE);
		assert_success(pcsample(rows[i].next ? samples : NULL, 0));
		assert_int_equal(kernel.status.state, PROFIL_STATE_OFF);
	}
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

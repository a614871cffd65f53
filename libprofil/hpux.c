// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * HP-UX: sprofil(), profil(), and sysconf(_SC_PROFIL_MAX). One man page describes
 * overlapping regions, and another one calls them an error. This library accepts them
 * if their offsets ascend. profil() is an sprofil() of one entry without sprofil()'s
 * errors.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include <sys/profil.h>
#include <time.h>
#include <unistd.h>
#pragma GCC visibility pop

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "range_array.h"
#include "device.h"
#include "profil.h"

#define LP64	(sizeof(void *) == 8)

_Static_assert(sizeof(struct prof) == (LP64 ? 32 : 16) &&
	       offsetof(struct prof, pr_size) == (LP64 ? 8 : 4) &&
	       offsetof(struct prof, pr_offset) == (LP64 ? 16 : 8) &&
	       offsetof(struct prof, pr_scale) == (LP64 ? 24 : 12),
	       "struct prof is laid out as on HP-UX");

void profil(unsigned short *buff, size_t bufsiz, size_t offset,
	    unsigned int scale)
{
	(void)libprofil_profil(PROFIL_DIALECT_HPUX, buff, bufsiz, offset, scale);
}

/* The man page: "at most (2^46 * pr_scale) / 65536", and whole counters only. */
static bool size_is_good(const struct range *range)
{
	return range->size && range->size % range->width == 0 &&
	       range->size <= range->scale << 30;
}

static bool entry_is_good(const struct range_array *array, unsigned int i,
			  const struct range *range)
{
	const struct prof *entry = (const struct prof *)array->entries + i;

	if (libprofil_dialect_is_overflow_bin(range))
		return i + 1 == array->count && range->size == range->width;
	if (i > 0 && (uintptr_t)entry[0].pr_offset <
		     (uintptr_t)entry[-1].pr_offset)
		return false;
	return range->scale < 2 || size_is_good(range);
}

static int read_entry(const struct range_array *array, unsigned int i,
		      struct range *range)
{
	const struct prof *entry = (const struct prof *)array->entries + i;

	range->buf = (uintptr_t)entry->pr_base;
	range->size = entry->pr_size;
	range->offset = (uintptr_t)entry->pr_offset;
	range->scale = entry->pr_scale;
	if (entry_is_good(array, i, range))
		return 0;
	errno = EINVAL;
	return -1;
}

/* Bytes of a counter; 0: flags are not exactly one of the three. */
static uint8_t width_of(unsigned int flags)
{
	switch (flags) {
	case PROF_USHORT:
		return 2;
	case PROF_UINT:
		return 4;
	case PROF_UINT64:
		return 8;
	}
	return 0;
}

/*
 * profcnt 0 turns profiling off, whatever the flags. A negative profcnt becomes a
 * large one here, and fails.
 */
int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
	    unsigned int flags)
{
	struct range_array array = {
		.tag		= PROFIL_DIALECT_HPUX,
		.entries	= profp,
		.entry_size	= sizeof(*profp),
		.count		= (unsigned int)profcnt,
		.width		= width_of(flags),
		.rate		= PROFIL_RATE_CLOCK,
		.period		= tvp,
		.error		= profcnt == 0 || width_of(flags) ? 0 : EINVAL,
		.read		= read_entry,
	};

	return libprofil_range_array_start(&array);
}

long libc_sysconf(int name) __asm__("sysconf");

/* Without the module only the dialect's limit applies. */
long sysconf(int name)
{
	struct profil_features features = { .size = sizeof(features) };
	int before = errno;

	if (name != _SC_PROFIL_MAX)
		return libc_sysconf(name);
	if (libprofil_device_call(PROFIL_IOC_FEATURES, &features) < 0) {
		errno = before;
		features.max_regions = UINT32_MAX;
	}
	return libprofil_dialect_max_ranges(PROFIL_DIALECT_HPUX, &features);
}

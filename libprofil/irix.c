// SPDX-License-Identifier: LGPL-2.1-or-later
/* IRIX: sprofil(), and profil(), which is an sprofil() of one entry. */
#pragma GCC visibility push(default)
#include <sys/profil.h>
#include <unistd.h>
#pragma GCC visibility pop

#include <errno.h>
#include <stddef.h>

#include "range_array.h"
#include "profil.h"

#define LP64	(sizeof(void *) == 8)

_Static_assert(sizeof(struct prof) == (LP64 ? 32 : 16) &&
	       offsetof(struct prof, pr_size) == (LP64 ? 8 : 4) &&
	       offsetof(struct prof, pr_off) == (LP64 ? 16 : 8) &&
	       offsetof(struct prof, pr_scale) == (LP64 ? 24 : 12),
	       "struct prof is laid out as on IRIX");

int profil(unsigned short *buff, unsigned int bufsiz, __psunsigned_t offset,
	   unsigned int scale)
{
	return libprofil_profil(PROFIL_DIALECT_IRIX, buff, bufsiz, offset, scale);
}

static int read_entry(const struct range_array *array, unsigned int i,
		      struct range *range)
{
	const struct prof *entry = (const struct prof *)array->entries + i;

	range->buf = (uintptr_t)entry->pr_base;
	range->size = entry->pr_size;
	range->offset = entry->pr_off;
	range->scale = entry->pr_scale;
	if (libprofil_dialect_is_overflow_bin(range) && i + 1 < array->count) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

/* Exactly one width must be given. */
static int check_flags(unsigned int flags)
{
	unsigned int width = flags & (PROF_USHORT | PROF_UINT);

	return width == PROF_USHORT || width == PROF_UINT ? 0 : EINVAL;
}

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
	    unsigned int flags)
{
	struct range_array array = {
		.tag		= PROFIL_DIALECT_IRIX,
		.entries	= profp,
		.entry_size	= sizeof(*profp),
		.count		= (unsigned int)profcnt,
		.width		= flags & PROF_UINT ? 4 : 2,
		.rate		= flags & PROF_FAST ? PROFIL_RATE_FAST :
						      PROFIL_RATE_CLOCK,
		.period		= tvp,
		.error		= check_flags(flags),
		.read		= read_entry,
	};

	return libprofil_range_array_start(&array);
}

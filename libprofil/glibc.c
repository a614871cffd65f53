// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The default dialect: glibc's profil() and sprofil(), with libc's prototypes. They
 * have no symbol version, so they replace libc's in programs that were built
 * without this library. libc's functions have flaws that this library does not imitate;
 * libprofil(7) lists them.
 */
#include <errno.h>

/*
 * libc declares profil()'s buffer nonnull, so a compiler may drop the test below
 * for the null buffer that stops profiling.
 */
#define profil libc_profil
#include <unistd.h>
#undef profil

#pragma GCC visibility push(default)
#include <sys/profil.h>
int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale);
#pragma GCC visibility pop

_Static_assert(__builtin_types_compatible_p(__typeof__(profil),
					    __typeof__(libc_profil)),
	       "profil() has libc's prototype");

#include "range_array.h"
#include "profil.h"

/* Programs stop with a null buffer (GNU) or with scale 0 or 1 (Unix). */
int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale)
{
	if (!buf)
		return libprofil_scope_stop();
	return libprofil_profil(PROFIL_DIALECT_GLIBC_PROFIL, buf, bufsiz,
				offset, scale);
}

static int read_entry(const struct range_array *array, unsigned int i,
		      struct range *range)
{
	const struct prof *entry = (const struct prof *)array->entries + i;

	range->buf = (uintptr_t)entry->pr_base;
	range->size = entry->pr_size;
	range->offset = entry->pr_off;
	range->scale = entry->pr_scale;
	return 0;
}

/* PROF_FAST and unknown flags have no effect, as in <sys/profil.h>. */
int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
	    unsigned int flags)
{
	struct range_array array = {
		.tag		= PROFIL_DIALECT_GLIBC_SPROFIL,
		.entries	= profp,
		.entry_size	= sizeof(*profp),
		.count		= (unsigned int)profcnt,
		.width		= flags & PROF_UINT ? 4 : 2,
		.rate		= PROFIL_RATE_CLOCK,
		.period		= tvp,
		.read		= read_entry,
	};

	if (profcnt < 0) {
		errno = EINVAL;
		return -1;
	}
	return libprofil_range_array_start(&array);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The default dialect: glibc's profil() and sprofil(), with libc's prototypes
 * and on the base symbol version, so that they take the place of libc's in
 * programs that were built without this library. What libc's functions do by
 * accident is not done here: see libprofil(7).
 */
#include <errno.h>

/*
 * libc declares profil's buffer to be never null, which lets a compiler drop
 * our test for the null buffer that stops profiling.
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

/* PROF_FAST has no effect, as <sys/profil.h> says; other flags neither. */
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

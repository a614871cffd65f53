// SPDX-License-Identifier: LGPL-2.1-or-later
/* The BSDs and macOS: profil() as in their kernels, and as in their man pages. */
#include <errno.h>

#include "memory.h"
#include "profil.h"

#pragma GCC visibility push(default)
#include <unistd.h>
int profil_bsd_man(char *samples, size_t size, unsigned long offset,
		   unsigned int scale);
#pragma GCC visibility pop

int profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
{
	return libprofil_profil(PROFIL_DIALECT_BSD, samples, size, offset, scale);
}

/*
 * The man page: "returns -1, profiling is terminated and errno is set". Its counter
 * of a pc is "[(pc - offset) / 2] * scale / 65536": it divides first.
 */
int profil_bsd_man(char *samples, size_t size, unsigned long offset,
		   unsigned int scale)
{
	if (libprofil_profil(PROFIL_DIALECT_BSD_MAN, samples, size, offset,
			     scale) < 0)
		return -1;
	if (scale == 0 || libprofil_memory_is_writable(samples, size))
		return 0;
	if (libprofil_scope_stop() == 0)
		errno = EFAULT;
	return -1;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AIX: profil() is in <mon.h>. */
#ifndef LIBPROFIL_DIALECT_AIX
#define LIBPROFIL_DIALECT_AIX

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* AIX's <sys/types.h> always has them; libc's does not in strict ISO C. */
#if defined(__GLIBC__) ? !defined(__USE_MISC) : \
	!defined(_GNU_SOURCE) && !defined(_BSD_SOURCE)
typedef char *caddr_t;
typedef unsigned int uint;
#endif

/*
 * profil(ShortBuffer, BufferSize, Offset, Scale), where ShortBuffer points to
 * unsigned short, or profil(ProfBuffer, -1, 0, 0), where ProfBuffer points to
 * struct prof.
 */
int profil(void *buffer, unsigned int size, unsigned long offset,
	   unsigned int scale) __asm__("profil_aix");

#ifdef __cplusplus
}
#endif

#endif

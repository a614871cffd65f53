/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * 4.4BSD, FreeBSD, NetBSD, OpenBSD, macOS: profil() is in <unistd.h>.
 *
 * Their man pages say that an invalid buffer is EFAULT and ends profiling. Their
 * kernels notice it at the first tick and report nothing. The default follows the
 * kernels; define LIBPROFIL_BSD_MAN to follow the man pages.
 */
#ifndef LIBPROFIL_DIALECT_BSD
#define LIBPROFIL_DIALECT_BSD

#include <stddef.h>
#include <sys/types.h>

/* The types of the BSDs' prototype; libc lacks them in strict ISO C. */
#if defined(__GLIBC__) ? !defined(__USE_MISC) : \
	!defined(_GNU_SOURCE) && !defined(_BSD_SOURCE)
typedef unsigned long u_long;
typedef unsigned int u_int;
#endif

#ifdef LIBPROFIL_BSD_MAN
#define LIBPROFIL_BSD_NAME	"profil_bsd_man"
#else
#define LIBPROFIL_BSD_NAME	"profil_bsd"
#endif

#ifdef __cplusplus
extern "C" {
#endif

int profil(char *samples, size_t size, unsigned long offset,
	   unsigned int scale) __asm__(LIBPROFIL_BSD_NAME);

#ifdef __cplusplus
}
#endif

#endif

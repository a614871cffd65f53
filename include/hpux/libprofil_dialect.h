/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HP-UX: profil() is in <time.h>, sprofil() in <sys/profil.h>, and
 * sysconf(_SC_PROFIL_MAX) returns the most entries that sprofil() takes.
 */
#ifndef LIBPROFIL_DIALECT_HPUX
#define LIBPROFIL_DIALECT_HPUX

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Outside the numbers that libc uses. */
#define _SC_PROFIL_MAX	0x7066

void profil(unsigned short *buff, size_t bufsiz, size_t offset,
	    unsigned int scale) __asm__("profil_hpux");

/* libc's sysconf(), which also knows _SC_PROFIL_MAX. */
#if defined(__cplusplus) && defined(__THROW)
long sysconf(int name) __THROW __asm__("sysconf_hpux");
#else
long sysconf(int name) __asm__("sysconf_hpux");
#endif

#ifdef __cplusplus
}
#endif

#endif

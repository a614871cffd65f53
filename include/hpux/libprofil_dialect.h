/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HP-UX: profil() is in <time.h>, sprofil() in <sys/profil.h>, and
 * sysconf(_SC_PROFIL_MAX) returns the most entries that sprofil() takes.
 */
#ifndef LIBPROFIL_DIALECT_HPUX
#define LIBPROFIL_DIALECT_HPUX

#include <stddef.h>
#include <sys/time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct prof {
	void		*pr_base;	/* counters */
	unsigned int	pr_size;	/* their length in bytes */
	void		*pr_offset;	/* pc of the first one */
	unsigned int	pr_scale;	/* 16.16 fixed point */
};

/* Flags of sprofil(): exactly one of them. */
#define PROF_USHORT	0x0001	/* counters are unsigned short */
#define PROF_UINT	0x0002	/* counters are unsigned int */
#define PROF_UINT64	0x0004	/* counters are 64 bits wide */

/* Outside the numbers that libc uses. */
#define _SC_PROFIL_MAX	0x7066

void profil(unsigned short *buff, size_t bufsiz, size_t offset,
	    unsigned int scale) __asm__("profil_hpux");

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
	    unsigned int flags) __asm__("sprofil_hpux");

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

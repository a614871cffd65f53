/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <sys/profil.h> for a libc without it, with glibc's contents: see sprofil(2). */
#ifndef LIBPROFIL_MUSL_SYS_PROFIL_H
#define LIBPROFIL_MUSL_SYS_PROFIL_H

#include <stddef.h>
#include <sys/time.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct prof {
	void		*pr_base;	/* counters */
	size_t		pr_size;	/* their length in bytes */
	size_t		pr_off;		/* first pc */
	unsigned long	pr_scale;	/* 0x10000: one 16-bit counter per 2 bytes */
};

enum {
	PROF_USHORT	= 0,		/* counters have 16 bits */
	PROF_UINT	= 1 << 0,	/* counters have 32 bits */
	PROF_FAST	= 1 << 1	/* has no effect */
};

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
	    unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <sys/profil.h> where libc has none, as glibc has it: see sprofil(2). */
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
	size_t		pr_size;	/* their bytes */
	size_t		pr_off;		/* first pc */
	unsigned long	pr_scale;	/* 0x10000: a 16-bit counter for 2 bytes */
};

enum {
	PROF_USHORT	= 0,		/* counters of 16 bits */
	PROF_UINT	= 1 << 0,	/* of 32 */
	PROF_FAST	= 1 << 1	/* has no effect */
};

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
	    unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif

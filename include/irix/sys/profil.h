/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIBPROFIL_IRIX_SYS_PROFIL_H
#define LIBPROFIL_IRIX_SYS_PROFIL_H

#include <libprofil_dialect.h>
#include <sys/time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct prof {
	void		*pr_base;	/* counters */
	unsigned int	pr_size;	/* their length in bytes */
	__psunsigned_t	pr_off;		/* pc of the first one */
	unsigned int	pr_scale;	/* 16.16 fixed point */
};

/* Flags of sprofil(): exactly one of the first two. */
#define PROF_USHORT	0x0001	/* counters are unsigned short */
#define PROF_UINT	0x0002	/* counters are unsigned int */
#define PROF_FAST	0x0004	/* one sample per millisecond */

#define PROF_FAST_CNT	10	/* fast samples per clock tick */
#define PROFIL_MAX	100	/* most entries, by default */

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
	    unsigned int flags) __asm__("sprofil_irix");

#ifdef __cplusplus
}
#endif

#endif

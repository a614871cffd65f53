/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIBPROFIL_HPUX_SYS_PROFIL_H
#define LIBPROFIL_HPUX_SYS_PROFIL_H

#include <libprofil_dialect.h>
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

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
	    unsigned int flags) __asm__("sprofil_hpux");

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIBPROFIL_AIX_MON_H
#define LIBPROFIL_AIX_MON_H

#include <libprofil_dialect.h>

typedef unsigned short HISTCOUNTER;

struct prof {
	char		*p_low;		/* first pc */
	char		*p_high;		/* first pc past the range */
	HISTCOUNTER	*p_buff;	/* counters */
	int		p_bufsize;	/* their length in bytes */
	unsigned int	p_scale;	/* 16-bit fraction; -1: the call chooses it */
};

/* One counter per instruction of 4 bytes. */
#define HIST_SCALE_1_TO_1	0x8000

#endif

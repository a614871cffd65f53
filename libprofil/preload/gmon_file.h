/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gmon.out that libc has just written. */
#ifndef PRELOAD_GMON_FILE_H
#define PRELOAD_GMON_FILE_H

#include <stdint.h>

/* A histogram over text: counters[n] counts n-th part of low to high. */
struct gmon_histogram {
	uint64_t	low;	/* addresses of the object's file */
	uint64_t	high;
	uint64_t	n;
	uint32_t	*counters;
	uint32_t	rate;	/* samples a second */
};

/*
 * Puts @histogram in place of those in the file, whose geometry it must have;
 * arcs and everything else stay. 0 or an errno; EBADMSG: not such a file.
 */
int gmon_file_replace(const struct gmon_histogram *histogram);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gmon.out, version 1: what it is made of is in libc's <sys/gmon_out.h>. A header,
 * then records, each after a byte that says of what kind it is:
 *
 *	time histogram	one range of addresses, the rate, and 16-bit counters that
 *			divide the range evenly
 *	arc		who called whom, how often
 *
 * in the byte order and with the addresses of the machine that writes it. A reader
 * adds up histograms of the same range, so that what counters do not hold is in
 * further ones. Pure: libprofil-preload.so and profil-report have it.
 */
#ifndef GMON_OUT_H
#define GMON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define GMON_OUT_HEADER_BYTES	20

struct gmon_out_counter {
	uint32_t	index;
	uint64_t	count;
};

/**
 * struct gmon_out_histogram - how often the parts of a range were found.
 * @low:    first address, in the object's file.
 * @high:   first address behind the range.
 * @n:      parts of the range.
 * @rate:   samples a second.
 * @source: what @next knows.
 * @next:   gives the counters that are not 0, by ascending index; false: there are
 *          no more. @cursor is 0 at first, and @next's own from then on.
 */
struct gmon_out_histogram {
	uintptr_t	low;
	uintptr_t	high;
	uint32_t	n;
	uint32_t	rate;
	const void	*source;
	bool		(*next)(const void *source, size_t *cursor,
				struct gmon_out_counter *counter);
};

/* What a file begins with. */
void gmon_out_write_header(FILE *out);

/* The histogram, in as many records as its largest counter takes. */
void gmon_out_write_histogram(FILE *out, const struct gmon_out_histogram *histogram);

/* Whether the @size bytes of a file's begin as version 1 does. */
bool gmon_out_is_known(const char *file, size_t size);

/* Bytes of the record at @at, of which there are @left; 0: none that is known. */
size_t gmon_out_record_bytes(const char *at, size_t left);

bool gmon_out_is_histogram(const char *at);

#endif

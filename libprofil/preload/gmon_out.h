/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gmon.out, version 1, as in libc's <sys/gmon_out.h>: a header, then records. Each
 * record begins with a byte for its kind:
 *
 *	time histogram	one range of addresses, the rate, and 16-bit counters that
 *			divide the range evenly
 *	arc		a caller, a callee, and the number of calls
 *
 * Byte order and addresses are those of the machine that writes it. A reader adds
 * up histograms of the same range, so counts above 16 bits go into further ones.
 * Depends on no other file: libprofil-preload.so and profil-report share it.
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
 * struct gmon_out_histogram - how many samples hit each part of a range.
 * @low:    first address, in the object's file.
 * @high:   first address after the range.
 * @n:      number of parts, each with a counter.
 * @rate:   samples a second.
 * @source: argument of @next.
 * @next:   yields the counters that are not 0, by ascending index; false: no more.
 *          The caller sets @cursor to 0 at first, and passes it on unchanged.
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

void gmon_out_write_header(FILE *out);

/* Writes as many records as the largest counter needs. */
void gmon_out_write_histogram(FILE *out, const struct gmon_out_histogram *histogram);

/* Whether @size bytes of a file begin with a header of version 1. */
bool gmon_out_is_known(const char *file, size_t size);

/* Bytes of the record at @at, with @left bytes to the file's end; 0: unknown kind. */
size_t gmon_out_record_bytes(const char *at, size_t left);

bool gmon_out_is_histogram(const char *at);

#endif

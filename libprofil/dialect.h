/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A dialect is one row of data: the points on which systems differ in what a
 * profile does once it runs. What differs in a call's argument list and in its
 * error rules is in the file named after the system.
 */
#ifndef LIBPROFIL_DIALECT_H
#define LIBPROFIL_DIALECT_H

#include <linux/profil.h>
#include <libprofil.h>
#include <stdint.h>

/* What a scale of 2 means. */
enum dialect_scale2 {
	SCALE2_ORDINARY,	/* 65536 bytes of text per 2-byte counter */
	SCALE2_COUNTER_0,	/* every pc from the offset on: counter 0 */
	SCALE2_OVERFLOW_BIN,	/* with offset 0: every pc no other takes */
};

/* What a call does about a buffer that is not in user space at all. */
enum dialect_bad_buffer {
	BAD_BUFFER_FAILS,	/* EFAULT, and nothing changes */
	BAD_BUFFER_IS_OFF,	/* it succeeds, and counts what is user space */
};

/**
 * struct dialect - how one system's profiles behave.
 * @index:      enum profil_index.
 * @at_limit:   enum profil_limit.
 * @limit:      largest value of a counter; 0: what its width holds.
 * @on_fault:   enum profil_fault.
 * @scale_mask: bits of the scale that count.
 * @scale_max:  EINVAL above this.
 * @scale_off:  largest scale that turns a range off.
 * @scale2:     enum dialect_scale2.
 * @bad_buffer: enum dialect_bad_buffer.
 * @min_ranges: fewest elements in a call that takes an array.
 * @max_ranges: most of them; 0: any number, of which the module takes as many
 *              ranges as it does.
 */
struct dialect {
	uint8_t		index;
	uint8_t		at_limit;
	uint16_t	limit;
	uint8_t		on_fault;
	uint8_t		scale_off;
	uint8_t		scale2;
	uint8_t		bad_buffer;
	uint32_t	scale_mask;
	uint32_t	scale_max;
	uint32_t	min_ranges;
	uint32_t	max_ranges;
};

/* By enum profil_dialect, which is also the tag of each profile. */
const struct dialect *libprofil_dialect(enum profil_dialect tag);

/* Most ranges in one call of this dialect, with this module. */
unsigned int libprofil_dialect_max_ranges(enum profil_dialect tag,
				  const struct profil_features *features);

/**
 * struct range - text and its counters, as every system's call gives them.
 * @buf:      address of the counters.
 * @size:     their length in bytes.
 * @offset:   pc of counter 0.
 * @pc_start: lowest pc; 0: @offset.
 * @pc_end:   first pc past the range; 0: as far as the counters reach.
 * @scale:    as given, not yet masked or checked.
 * @width:    bytes of a counter.
 */
struct range {
	uint64_t	buf;
	uint64_t	size;
	uint64_t	offset;
	uint64_t	pc_start;
	uint64_t	pc_end;
	uint64_t	scale;
	uint8_t		width;
};

/*
 * Translates a range into what the kernel knows. Returns 1, or 0 if its scale
 * turns it off, or -1 with errno EINVAL if its scale is too large.
 */
int libprofil_dialect_region(const struct dialect *d, const struct range *range,
		     struct profil_region *region);

/* Whether a range takes every pc that no other range takes. */
int libprofil_dialect_is_overflow_bin(const struct range *range);

#endif

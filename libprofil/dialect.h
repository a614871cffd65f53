/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A dialect is one row of data: the rules on which systems differ while a profile
 * runs. A call's arguments and its errors are in the file named after the system.
 */
#ifndef LIBPROFIL_DIALECT_H
#define LIBPROFIL_DIALECT_H

#include <linux/profil.h>
#include <libprofil.h>
#include <stdint.h>

/* The meaning of scale 2. */
enum dialect_scale2 {
	SCALE2_ORDINARY,	/* 65536 bytes of text per 2-byte counter */
	SCALE2_COUNTER_0,	/* every pc from the offset on: counter 0 */
	SCALE2_OVERFLOW_BIN,	/* with offset 0: every pc of no other region */
};

/* The result of a call whose buffer lies outside user space. */
enum dialect_bad_buffer {
	BAD_BUFFER_FAILS,	/* EFAULT, and nothing changes */
	BAD_BUFFER_IS_OFF,	/* success; only the part in user space counts */
};

/**
 * struct dialect - how one system's profiles behave.
 * @index:      enum profil_index.
 * @at_limit:   enum profil_limit.
 * @limit:      maximum of a counter; 0: the maximum of its width.
 * @on_fault:   enum profil_fault.
 * @scale_mask: bits of the scale that are used.
 * @scale_max:  maximum scale; EINVAL above it.
 * @scale_off:  largest scale that turns a range off.
 * @scale2:     enum dialect_scale2.
 * @bad_buffer: enum dialect_bad_buffer.
 * @min_ranges: minimum elements in a call that takes an array.
 * @max_ranges: maximum elements; 0: only the module limits the ranges.
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

const struct dialect *libprofil_dialect(enum profil_dialect tag);

/* Maximum ranges in one call of this dialect, with this module. */
unsigned int libprofil_dialect_max_ranges(enum profil_dialect tag,
				  const struct profil_features *features);

/**
 * struct range - text and its counters, from any system's call.
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
 * Translates a range into the kernel's region. Returns 1; 0 if its scale turns it
 * off; -1 with errno EINVAL if its scale is too large.
 */
int libprofil_dialect_region(const struct dialect *d, const struct range *range,
		     struct profil_region *region);

/* Whether a range is an overflow bin, for each pc of no other range. */
int libprofil_dialect_is_overflow_bin(const struct range *range);

#endif

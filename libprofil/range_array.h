/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by all calls that take an array of ranges. */
#ifndef LIBPROFIL_RANGE_ARRAY_H
#define LIBPROFIL_RANGE_ARRAY_H

#include <linux/profil.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

#include "dialect.h"
#include "regions.h"

/**
 * struct range_array - the array of one call.
 * @tag:        the dialect of the call.
 * @scope:      the profile that the call is for.
 * @entries:    the caller's array; not yet known to be readable.
 * @entry_size: bytes of an element.
 * @count:      number of elements.
 * @width:      bytes of a counter.
 * @rate:       which ticks are samples.
 * @period:     out: the time between samples; may be NULL.
 * @error:      an errno for the call's other arguments; 0: they are valid.
 * @read:       turns element i into a range, whose @width is already set. 0, or
 *              -1 with errno if the dialect rejects the element.
 */
struct range_array {
	enum profil_dialect	tag;
	struct scope		scope;
	const void		*entries;
	size_t			entry_size;
	unsigned int		count;
	uint8_t			width;
	enum profil_rate	rate;
	struct timeval		*period;
	int			error;
	int			(*read)(const struct range_array *array,
					unsigned int i, struct range *range);
};

/*
 * Reads all elements. Then it starts a profile, or stops profiling if all elements
 * are off, and stores the period. Returns 0, or -1 with errno and nothing changed.
 * Errors are found in this order: ENODEV and other errors of the device; EACCES,
 * the fast rate is not granted; E2BIG, the dialect does not take this number of
 * elements; @error; EFAULT, @entries or @period; an error of @read; E2BIG, more
 * ranges than the module takes; other errors of the module.
 */
int libprofil_range_array_start(const struct range_array *array);

#endif

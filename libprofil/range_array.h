/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one way in for calls that take an array of ranges. */
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
 * @tag:        whose rules apply.
 * @scope:      whose profile it is about.
 * @entries:    the caller's array; not yet known to be readable.
 * @entry_size: bytes of an element.
 * @count:      its length.
 * @width:      bytes of a counter.
 * @rate:       which ticks are samples.
 * @period:     where to put the time between samples, or NULL.
 * @error:      what is wrong with the call's other arguments: an errno; 0: nothing.
 * @read:       turns element i into a range, whose @width is filled in
 *              already. 0, or -1 with errno if the dialect rejects it there.
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
 * Reads all elements, and only then starts a profile, or stops profiling if
 * none of them is on, and fills in the period. 0, or -1 with errno and nothing
 * changed, in this order: ENODEV and what else the device says; EACCES, the fast
 * rate is not granted; E2BIG, not as many elements as the dialect's calls take;
 * @error; EFAULT, @entries or @period; what @read says; E2BIG, more ranges than the
 * module takes; what the module says.
 */
int libprofil_range_array_start(const struct range_array *array);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Calls that take an array of ranges: read the whole array, then start. */
#include "range_array.h"

#include <errno.h>

#include "device.h"
#include "memory.h"
#include "regions.h"

static int add_all(struct regions *regions, const struct range_array *array)
{
	for (unsigned int i = 0; i < array->count; i++) {
		struct range range = { .width = array->width };

		if (array->read(array, i, &range) < 0 ||
		    libprofil_regions_add(regions, &range) < 0)
			return -1;
	}
	return 0;
}

/* To the nearest microsecond: some clocks tick every 3333333 ns. */
static void store_period(struct timeval *period, uint64_t ns)
{
	uint64_t us = (ns + 500) / 1000;

	period->tv_sec = (time_t)(us / 1000000);
	period->tv_usec = (suseconds_t)(us % 1000000);
}

/* Only some systems limit the number of elements. */
static int check_call(const struct range_array *array,
		      const struct profil_features *features)
{
	const struct dialect *d = libprofil_dialect(array->tag);

	if (array->rate == PROFIL_RATE_FAST &&
	    !(features->rates & (1U << PROFIL_RATE_FAST)))
		return EACCES;
	if (array->count < d->min_ranges ||
	    (d->max_ranges &&
	     array->count > libprofil_dialect_max_ranges(array->tag, features)))
		return E2BIG;
	return array->error;
}

static int check_memory(const struct range_array *array)
{
	size_t bytes;

	/* An array longer than the address space cannot be readable. */
	if (!__builtin_mul_overflow(array->count, array->entry_size, &bytes) &&
	    libprofil_memory_is_readable(array->entries, bytes) &&
	    (!array->period ||
	     libprofil_memory_is_writable(array->period,
					  sizeof(*array->period))))
		return 0;
	return EFAULT;
}

static int start(const struct range_array *array,
		 const struct profil_features *features)
{
	size_t room = array->count;
	struct regions regions;
	int result;

	/* Ranges that are off need no room, so the array may exceed the maximum. */
	if (room > libprofil_dialect_max_ranges(array->tag, features))
		room = libprofil_dialect_max_ranges(array->tag, features);
	if (libprofil_regions_open(&regions, array->tag, room) < 0)
		return -1;

	regions.scope = array->scope;
	result = add_all(&regions, array);
	if (result == 0)
		result = libprofil_regions_start(&regions, array->rate);
	libprofil_regions_close(&regions);

	if (result == 0 && array->period)
		store_period(array->period, features->period_ns[array->rate]);
	return result;
}

int libprofil_range_array_start(const struct range_array *array)
{
	struct profil_features features = { .size = sizeof(features) };
	int error;

	if (libprofil_device_call(PROFIL_IOC_FEATURES, &features) < 0)
		return -1;
	error = check_call(array, &features);
	if (!error)
		error = check_memory(array);
	if (!error)
		return start(array, &features);
	errno = error;
	return -1;
}

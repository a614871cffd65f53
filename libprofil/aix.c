// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * AIX: profil() in both forms. These calls have no effect: turning profiling on
 * while it is on, turning it off while it is off, and turning off with one form
 * what the other form turned on. The profile's tag names the form that turned it
 * on. A profile of another dialect is replaced, as in every dialect.
 */
#pragma GCC visibility push(default)
#include <mon.h>
#pragma GCC visibility pop

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "range_array.h"
#include "memory.h"
#include "profil.h"

#define LP64		(sizeof(void *) == 8)

_Static_assert(sizeof(struct prof) == (LP64 ? 32 : 20) &&
	       offsetof(struct prof, p_buff) == (LP64 ? 16 : 8) &&
	       offsetof(struct prof, p_bufsize) == (LP64 ? 24 : 12) &&
	       offsetof(struct prof, p_scale) == (LP64 ? 28 : 16),
	       "struct prof is laid out as on AIX");

#define SCALE_TO_FIT	UINT32_MAX	/* p_scale -1 */
#define RANGES		UINT32_MAX	/* BufferSize -1 */

static bool turns_off(unsigned int scale)
{
	const struct dialect *d = libprofil_dialect(PROFIL_DIALECT_AIX);

	return (scale & d->scale_mask) <= d->scale_off;
}

static bool is_ours(const struct profil_status *status)
{
	return status->tag == PROFIL_DIALECT_AIX ||
	       status->tag == PROFIL_DIALECT_AIX_RANGES;
}

/* AIX pins the buffer. Here it is only checked, which also brings in its pages. */
static int check_buffer(void *buffer, size_t size)
{
	if (libprofil_memory_is_writable(buffer, size))
		return 0;
	errno = EFAULT;
	return -1;
}

/* The man page: EFAULT "also if there are not enough resources to lock the buffer". */
static int without_resources(int result)
{
	if (result < 0 && (errno == ENOMEM || errno == E2BIG))
		errno = EFAULT;
	return result;
}

static int turn_on_buffer(void *buffer, unsigned int size, unsigned long offset,
			  unsigned int scale)
{
	if (check_buffer(buffer, size) < 0)
		return -1;
	return libprofil_profil(PROFIL_DIALECT_AIX, buffer, size, offset, scale);
}

static uint32_t scale_to_fit(const struct prof *entry)
{
	uint64_t text = (uintptr_t)entry->p_high - (uintptr_t)entry->p_low;
	uint64_t scale = ((uint64_t)entry->p_bufsize << 16) / text;

	return scale > USHRT_MAX ? USHRT_MAX : (uint32_t)scale;
}

static bool in_order(const struct prof *entry, bool first)
{
	return (uintptr_t)entry->p_high > (uintptr_t)entry->p_low &&
	       (first || (uintptr_t)entry->p_high > (uintptr_t)entry[-1].p_high);
}

static int read_entry(const struct range_array *array, unsigned int i,
		      struct range *range)
{
	const struct prof *entry = (const struct prof *)array->entries + i;

	if (!in_order(entry, i == 0)) {
		errno = EINVAL;
		return -1;
	}
	range->buf = (uintptr_t)entry->p_buff;
	/* A negative size wraps round the end of the address space. */
	range->size = (uint64_t)entry->p_bufsize;
	range->offset = (uintptr_t)entry->p_low;
	range->pc_end = (uintptr_t)entry->p_high;
	range->scale = entry->p_scale == SCALE_TO_FIT ? scale_to_fit(entry) :
							entry->p_scale;
	return check_buffer(entry->p_buff, range->size);
}

/* Number of elements before the one with p_high 0; -1 with EFAULT. */
static long count_entries(const struct prof *entries)
{
	const struct prof *entry;

	for (entry = entries; ; entry++) {
		if (!libprofil_memory_is_readable(entry, sizeof(*entry))) {
			errno = EFAULT;
			return -1;
		}
		if (!entry->p_high)
			return entry - entries;
	}
}

static int turn_on_ranges(const struct prof *entries, long n)
{
	struct range_array array = {
		.tag		= PROFIL_DIALECT_AIX_RANGES,
		.entries	= entries,
		.entry_size	= sizeof(*entries),
		.count		= (unsigned int)n,
		.width		= sizeof(HISTCOUNTER),
		.rate		= PROFIL_RATE_CLOCK,
		.read		= read_entry,
	};

	return libprofil_range_array_start(&array);
}

static int turn_off(const struct profil_status *status,
		    enum profil_dialect form)
{
	if (status->state != PROFIL_STATE_ON)
		return 0;
	if (is_ours(status) && status->tag != form)
		return 0;
	return libprofil_scope_stop();
}

int profil(void *buffer, unsigned int size, unsigned long offset,
	   unsigned int scale)
{
	enum profil_dialect form = size == RANGES ? PROFIL_DIALECT_AIX_RANGES :
						    PROFIL_DIALECT_AIX;
	struct profil_status status = { .size = sizeof(status) };
	long n = size == RANGES ? count_entries(buffer) : !turns_off(scale);

	if (n < 0 || profil_get_status(&status) < 0)
		return -1;
	if (n == 0)
		return turn_off(&status, form);
	if (size == 0 || (is_ours(&status) && status.state == PROFIL_STATE_ON))
		return 0;
	if (size == RANGES)
		return without_resources(turn_on_ranges(buffer, n));
	return without_resources(turn_on_buffer(buffer, size, offset, scale));
}

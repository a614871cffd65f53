// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tru64 UNIX: profil() in both forms, with both layouts of struct profil_args,
 * and getsysinfo(GSI_CLK_TCK). The man page names no errors and profil() is void;
 * here a call that the page forbids fails and sets errno.
 *
 * The page implies which profile a call is for: the counts are the sum over all
 * threads, and different threads can use different forms at the same time. So the
 * process has one profile. A thread that calls the other form while that profile
 * runs gets a profile of its own. The thread's later calls are for that profile, until
 * one of them stops it. The initial thread gets no profile of its own: it switches the
 * process's profile from form to form.
 */
#pragma GCC visibility push(default)
#include <sys/resource.h>
#include <sys/sysinfo.h>
#pragma GCC visibility pop

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "range_array.h"
#include "device.h"
#include "memory.h"
#include "profil.h"

#define LP64	(sizeof(void *) == 8)

_Static_assert(sizeof(struct profil_args4) == (LP64 ? 32 : 16) &&
	       offsetof(struct profil_args4, lowpc) == (LP64 ? 16 : 8) &&
	       offsetof(struct profil_args4, scale) == (LP64 ? 24 : 12),
	       "struct profil_args is laid out as in Tru64's header");
_Static_assert(sizeof(struct profil_args5) == (LP64 ? 40 : 20) &&
	       offsetof(struct profil_args5, offset) == (LP64 ? 24 : 12) &&
	       offsetof(struct profil_args5, scale) == (LP64 ? 32 : 16),
	       "struct profil_args is laid out as in Tru64's man page");

/* One element of the array, in either layout. */
struct pcs {
	uintptr_t	low;
	uintptr_t	high;	/* the last one, not the one after it */
};

/*
 * The call has no size argument: the buffer ends with the counter of the last pc.
 * If the product does not fit, the result is a size that the kernel refuses.
 */
static uint64_t size_up_to(uintptr_t offset, uintptr_t highpc, uint64_t scale,
			   unsigned int width)
{
	uint64_t distance = highpc - offset, high, low;

	if (highpc < offset)
		return 0;
	if (scale == PROFIL_SCALE_TOTAL)
		return width;
	if (__builtin_mul_overflow(distance >> 16, scale, &high))
		return UINT64_MAX - width;
	low = ((distance & 0xffff) * scale) >> 16;
	return ((high + low) / width + 1) * width;
}

static void fill_range(struct range *range, const struct pcs *pcs,
		       uintptr_t offset)
{
	range->offset = offset;
	range->size = size_up_to(offset, pcs->high, range->scale, range->width);
	range->pc_start = pcs->low > offset ? pcs->low : 0;
	/* For the last address of the address space this is 0: no bound. */
	range->pc_end = range->size ? (uint64_t)pcs->high + 1 : 0;
}

/* Ranges must descend and must not overlap. */
static int check_order(const struct pcs *pcs, const struct pcs *previous)
{
	if (pcs->high >= pcs->low && (!previous || pcs->high < previous->low))
		return 0;
	errno = EINVAL;
	return -1;
}

static struct pcs pcs_of4(const struct profil_args4 *entry)
{
	return (struct pcs){ (uintptr_t)entry->lowpc, (uintptr_t)entry->highpc };
}

static int read_args4(const struct range_array *array, unsigned int i,
		      struct range *range)
{
	const struct profil_args4 *entry =
		(const struct profil_args4 *)array->entries + i;
	struct pcs pcs = pcs_of4(entry);
	struct pcs previous = i ? pcs_of4(entry - 1) : pcs;

	range->buf = (uintptr_t)entry->buffer;
	range->scale = entry->scale;
	fill_range(range, &pcs, pcs.low);
	return check_order(&pcs, i ? &previous : NULL);
}

static struct pcs pcs_of5(const struct profil_args5 *entry)
{
	return (struct pcs){ (uintptr_t)entry->lowpc, (uintptr_t)entry->highpc };
}

static int read_args5(const struct range_array *array, unsigned int i,
		      struct range *range)
{
	const struct profil_args5 *entry =
		(const struct profil_args5 *)array->entries + i;
	struct pcs pcs = pcs_of5(entry);
	struct pcs previous = i ? pcs_of5(entry - 1) : pcs;

	range->buf = (uintptr_t)entry->buffer;
	range->scale = entry->scale;
	fill_range(range, &pcs, (uintptr_t)entry->offset);
	return check_order(&pcs, i ? &previous : NULL);
}

/* A profile that this thread started, or inherited, and has not stopped yet. */
static bool has_own_profile(void)
{
	struct profil_status own;
	int before = errno;

	/* The start or stop that follows reports an error. */
	if (libprofil_scope_own(PROFIL_IOC_THREAD_STATUS, &own) == 0)
		return own.state != PROFIL_STATE_OFF;
	errno = before;
	return false;
}

static bool process_uses(enum profil_dialect form)
{
	struct profil_status all = { .size = sizeof(all) };
	int before = errno;

	if (libprofil_device_call(PROFIL_IOC_STATUS, &all) == 0)
		return all.state == PROFIL_STATE_ON && all.tag == form;
	errno = before;
	return false;
}

static bool is_initial_thread(void)
{
	return syscall(SYS_gettid) == syscall(SYS_getpid);
}

/* The profile for a call of one form; @other is the other form. */
static struct scope scope_beside(enum profil_dialect other)
{
	struct scope scope = { 0, 0 };

	if (has_own_profile())
		scope.start = scope.stop = PROFIL_THREAD;
	else if (!is_initial_thread() && process_uses(other))
		scope.start = PROFIL_THREAD;
	return scope;
}

/* "All threads" includes the caller, so the caller's own profile ends. */
static int start_for_all(const struct range_array *array)
{
	struct profil_status stopped;
	int result = libprofil_range_array_start(array);

	if (result == 0 && has_own_profile())
		result = libprofil_scope_own(PROFIL_IOC_THREAD_STOP, &stopped);
	return result;
}

static int start_ranges(struct range_array *array, unsigned long flags)
{
	if (flags & PROFIL_FLAGS_ALL_THREADS)
		return start_for_all(array);
	array->scope = scope_beside(PROFIL_DIALECT_TRU64);
	return libprofil_range_array_start(array);
}

/* The man page: "This form of profil call must specify an offset of -1." */
static bool selects_ranges(const void *offset)
{
	return (uintptr_t)offset == UINTPTR_MAX;
}

typedef int read_entry(const struct range_array *array, unsigned int i,
		       struct range *range);

/* Either form. A negative number of ranges becomes a large one, and fails. */
static int start(void *buffer, unsigned int size, void *offset,
		 unsigned long scale, size_t entry_size, read_entry *read)
{
	struct range_array array = {
		.tag		= PROFIL_DIALECT_TRU64_RANGES,
		.entries	= buffer,
		.entry_size	= entry_size,
		.count		= size,
		.width		= sizeof(unsigned int),
		.rate		= PROFIL_RATE_CLOCK,
		.error		= scale & ~(unsigned long)PROFIL_FLAGS_ALL_THREADS ?
				  EINVAL : 0,
		.read		= read,
	};

	if (selects_ranges(offset))
		return start_ranges(&array, scale);
	return libprofil_profil_in(scope_beside(PROFIL_DIALECT_TRU64_RANGES),
				   PROFIL_DIALECT_TRU64, buffer, size,
				   (uintptr_t)offset, (unsigned int)scale);
}

int profil_tru64(void *buffer, unsigned int size, void *offset,
		 unsigned long scale)
{
	return start(buffer, size, offset, scale, sizeof(struct profil_args4),
		     read_args4);
}

int profil_tru64_args5(void *buffer, unsigned int size, void *offset,
		       unsigned long scale)
{
	return start(buffer, size, offset, scale, sizeof(struct profil_args5),
		     read_args5);
}

/* Stores the ticks per second, rounded; returns the number of items stored: 1. */
int getsysinfo(unsigned long op, void *buffer, unsigned long nbytes, int *start,
	       void *arg, ...)
{
	struct profil_features features = { .size = sizeof(features) };
	uint64_t period;

	(void)start;
	(void)arg;
	if (op != GSI_CLK_TCK || nbytes < sizeof(int)) {
		errno = EINVAL;
		return -1;
	}
	if (!libprofil_memory_is_writable(buffer, sizeof(int))) {
		errno = EFAULT;
		return -1;
	}
	if (libprofil_device_call(PROFIL_IOC_FEATURES, &features) < 0)
		return -1;
	period = features.period_ns[PROFIL_RATE_CLOCK];
	*(int *)buffer = (int)((1000000000 + period / 2) / period);
	return 1;
}

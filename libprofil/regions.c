// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The list of regions of one call. A signal handler may not call malloc(), so a
 * list too long for the stack gets an anonymous mapping until the call returns.
 */
#include "regions.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "device.h"
#include "memory.h"

int libprofil_regions_open(struct regions *regions, enum profil_dialect tag,
			   size_t room)
{
	void *mapping;
	size_t bytes;

	regions->tag = tag;
	regions->scope = (struct scope){ 0, 0 };
	regions->used = 0;
	regions->mapped = 0;
	regions->room = REGIONS_ON_STACK;
	regions->array = regions->few;
	if (room <= REGIONS_ON_STACK)
		return 0;

	if (__builtin_mul_overflow(room, sizeof(*regions->array), &bytes)) {
		errno = ENOMEM;
		return -1;
	}
	mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapping == MAP_FAILED)
		return -1;
	regions->mapped = bytes;
	regions->room = room;
	regions->array = mapping;
	return 0;
}

void libprofil_regions_close(struct regions *regions)
{
	int before = errno;

	if (regions->mapped)
		(void)munmap(regions->array, regions->mapped);
	errno = before;
}

static bool has_catch_all(const struct regions *regions)
{
	for (size_t i = 0; i < regions->used; i++)
		if (regions->array[i].flags & PROFIL_REGION_CATCH_ALL)
			return true;
	return false;
}

int libprofil_regions_add(struct regions *regions, const struct range *range)
{
	struct profil_region region;
	int on = libprofil_dialect_region(libprofil_dialect(regions->tag), range,
				  &region);

	if (on <= 0)
		return on;
	/* The first overflow bin counts every pc that a second one would count. */
	if ((region.flags & PROFIL_REGION_CATCH_ALL) && has_catch_all(regions))
		return 0;
	if (regions->used == regions->room) {
		errno = E2BIG;
		return -1;
	}
	regions->array[regions->used++] = region;
	return 0;
}

/*
 * For systems that never check the buffer before the first tick: a buffer that ends
 * outside user space counts up to the end of user space. A buffer that begins
 * outside counts nothing.
 */
static void cut_to_user_space(struct regions *regions)
{
	size_t kept = 0;

	for (size_t i = 0; i < regions->used; i++) {
		struct profil_region *region = &regions->array[i];
		uint64_t bytes = libprofil_memory_user_bytes(region->buf,
							     region->size);

		if (region->size && !bytes)
			continue;
		region->size = bytes;
		regions->array[kept++] = *region;
	}
	regions->used = kept;
}

/* The kernel checks for the end of 64-bit address spaces; a 32-bit one ends earlier. */
static bool any_goes_round(const struct regions *regions)
{
	for (size_t i = 0; i < regions->used; i++)
		if (regions->array[i].size > UINTPTR_MAX - regions->array[i].buf)
			return true;
	return false;
}

static int stop(uint32_t scope)
{
	struct profil_status stopped;

	if (scope & PROFIL_THREAD)
		return libprofil_scope_own(PROFIL_IOC_THREAD_STOP, &stopped);
	return libprofil_scope_stop();
}

static int start(const struct regions *regions, enum profil_rate rate)
{
	struct profil_histogram request = {
		.size		= sizeof(request),
		.regions	= (uintptr_t)regions->array,
		.nregions	= (uint32_t)regions->used,
		.region_size	= sizeof(*regions->array),
		.rate		= rate,
		.flags		= regions->scope.start,
		.tag		= regions->tag,
	};

	if (regions->used == 0)
		return stop(regions->scope.stop);
	if (any_goes_round(regions)) {
		errno = EINVAL;
		return -1;
	}
	return libprofil_device_call(PROFIL_IOC_HISTOGRAM, &request);
}

int libprofil_regions_start(struct regions *regions, enum profil_rate rate)
{
	const struct dialect *d = libprofil_dialect(regions->tag);
	int before = errno;

	if (start(regions, rate) == 0)
		return 0;
	/* EINVAL: a buffer that wraps round the end of the address space. */
	if (d->bad_buffer != BAD_BUFFER_IS_OFF ||
	    (errno != EFAULT && errno != EINVAL))
		return -1;
	errno = before;
	cut_to_user_space(regions);
	return start(regions, rate);
}

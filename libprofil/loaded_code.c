// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel's table of objects, made from the dynamic linker's list.
 * dl_iterate_phdr() takes a lock: do not call this in a signal handler.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "loaded_code.h"

#pragma GCC visibility push(default)
#include <libprofil.h>
#pragma GCC visibility pop

#include <string.h>
#include <sys/mman.h>

#include "device.h"

#define TABLE_BYTES	(PROFIL_OBJECTS_MAX * sizeof(struct profil_object))

static uint64_t eh_frame_hdr(const struct dl_phdr_info *info)
{
	unsigned int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			return info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	return 0;
}

bool libprofil_loaded_code_of(const struct dl_phdr_info *info, unsigned int i,
		       struct profil_object *code)
{
	const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

	if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
	    !segment->p_memsz)
		return false;
	code->start = info->dlpi_addr + segment->p_vaddr;
	code->end = code->start + segment->p_memsz;
	code->eh_frame_hdr = eh_frame_hdr(info);
	return true;
}

/* A copy of the linker's list, and the linker's count of its changes until then. */
struct listing {
	struct profil_object	*object;
	uint32_t		n;
	unsigned long long	adds, subs;
};

/* Sorts by address. Skips overlapping segments: the linker never makes them. */
static void insert(struct listing *listing, const struct profil_object *code)
{
	struct profil_object *object = listing->object;
	uint32_t i = listing->n;

	while (i && object[i - 1].start >= code->end)
		i--;
	if (listing->n == PROFIL_OBJECTS_MAX ||
	    (i && object[i - 1].end > code->start))
		return;
	memmove(object + i + 1, object + i, (listing->n - i) * sizeof(*object));
	object[i] = *code;
	listing->n++;
}

static int list_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct listing *listing = argument;
	struct profil_object code;
	unsigned int i;

	(void)size;
	listing->adds = info->dlpi_adds;
	listing->subs = info->dlpi_subs;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (libprofil_loaded_code_of(info, i, &code))
			insert(listing, &code);
	return 0;
}

static int has_changed(struct dl_phdr_info *info, size_t size, void *argument)
{
	const struct listing *listing = argument;

	(void)size;
	return listing->adds == info->dlpi_adds &&
	       listing->subs == info->dlpi_subs ? -1 : 1;
}

static int tell_kernel(struct listing *listing)
{
	struct profil_object_table table = {
		.size		= sizeof(table),
		.object_size	= sizeof(*listing->object),
		.objects	= (uintptr_t)listing->object,
	};

	listing->n = 0;
	dl_iterate_phdr(list_object, listing);
	table.nobjects = listing->n;
	return libprofil_device_call(PROFIL_IOC_OBJECTS, &table);
}

/*
 * Several threads may do this at once. Each compares the list again after its call,
 * so the last call always has the current list.
 */
int profil_update_objects(void)
{
	struct listing listing = { .n = 0 };
	int result;

	listing.object = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (listing.object == MAP_FAILED)
		return -1;
	do
		result = tell_kernel(&listing);
	while (result == 0 && dl_iterate_phdr(has_changed, &listing) > 0);
	munmap(listing.object, TABLE_BYTES);
	return result;
}

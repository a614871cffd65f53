// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who asks for a library by name, without a slash, has it looked for along
 *
 *	the RPATH of its object, of those that had this loaded, and of the
 *	program, if its object has no RUNPATH,
 *	LD_LIBRARY_PATH,
 *	the RUNPATH of its object,
 *	and, unless its object was linked with -z nodefaultlib, the usual places,
 *
 * in its own namespace. This library has nothing of all that. So who has nothing
 * either is no different, as long as nobody but the program has an RPATH: most.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "library_search.h"
#include "linker_list.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>

struct library_search {
	uintptr_t	caller;
	bool		first;		/* the program comes first */
	bool		found;		/* in our namespace */
	bool		differs;
};

static bool has_code(const struct dl_phdr_info *info, uintptr_t address)
{
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz)
			return true;
	}
	return false;
}

static const ElfW(Dyn) *dynamic_section(const struct dl_phdr_info *info)
{
	static const ElfW(Dyn) none = { .d_tag = DT_NULL };
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const void *)(info->dlpi_addr +
					      info->dlpi_phdr[i].p_vaddr);
	return &none;
}

/* What of @entry makes a difference to others' searches, and to its own. */
static bool matters(const ElfW(Dyn) *entry, bool is_caller, bool is_program)
{
	if (entry->d_tag == DT_RPATH)
		return is_caller || !is_program;
	return is_caller && (entry->d_tag == DT_RUNPATH ||
			     (entry->d_tag == DT_FLAGS_1 &&
			      entry->d_un.d_val & DF_1_NODEFLIB));
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct library_search *search = argument;
	bool is_caller = has_code(info, search->caller);
	const ElfW(Dyn) *entry;

	(void)size;
	search->found |= is_caller;
	for (entry = dynamic_section(info); entry->d_tag != DT_NULL; entry++)
		search->differs |= matters(entry, is_caller, search->first);
	search->first = false;
	return search->differs;
}

bool library_search_is_the_same(const void *caller)
{
	struct library_search search = { .caller = (uintptr_t)caller, .first = true };

	if (!linker_list_is_free())
		return false;
	dl_iterate_phdr(visit_object, &search);
	return search.found && !search.differs;
}

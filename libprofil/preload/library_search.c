// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * For a name without a slash, the dynamic linker searches in this order, in the
 * namespace of the calling object:
 *
 *	the RPATHs of the calling object, of the objects that loaded it, and of the
 *	program, unless the calling object has a RUNPATH;
 *	LD_LIBRARY_PATH;
 *	the RUNPATH of the calling object;
 *	the default directories, unless the calling object was linked with
 *	-z nodefaultlib.
 *
 * This library has none of these attributes. So a call from here searches the same
 * places if the caller has none either, and no object but the program has an RPATH.
 * That is the usual case.
 */
#include "library_search.h"
#include "linker_list.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>

struct library_search {
	uintptr_t	caller;
	bool		first;		/* the next object is the program */
	bool		found;		/* the caller is in our namespace */
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

/* Whether @entry of an object makes the caller's search differ from ours. */
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

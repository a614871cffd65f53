// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object_identity.h"
#include "sampler.h"
#include "system.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char *absolute(const char *name, char *buffer, size_t size)
{
	size_t length;

	if (name[0] == '/' || !getcwd(buffer, size))
		return name;
	length = strlen(buffer);
	if (snprintf(buffer + length, size - length, "/%s", name) >=
	    (int)(size - length))
		return name;
	return buffer;
}

/*
 * An older module does not know the request, and a program may have moved its code to
 * memory without a file. If AT_BASE is 0, "ld.so PROGRAM" was run, and exe is ld.so.
 */
static const char *program_path(uint64_t start, char *buffer, size_t size, int fd)
{
	ssize_t length;

	if (sampler_mapped_path(start, buffer, (uint32_t)size, fd))
		return buffer;
	length = getauxval(AT_BASE) ? system_readlink("/proc/self/exe", buffer, size - 1) : -1;
	if (length < 0)
		return "[program]";
	buffer[length] = '\0';
	return buffer;
}

/* In the linker's list the program has no name; the vdso has no file. */
const char *object_identity_path(const struct dl_phdr_info *info, bool first,
				 uint64_t start, uint64_t end, char *buffer,
				 size_t size, int fd)
{
	unsigned long vdso = getauxval(AT_SYSINFO_EHDR);

	if (vdso && vdso >= start && vdso < end)
		return "[vdso]";
	if (info->dlpi_name && info->dlpi_name[0])
		return absolute(info->dlpi_name, buffer, size);
	if (!first)
		return "[unknown]";
	return program_path(start, buffer, size, fd);
}

/* The build ID among the notes of one segment, or NULL. */
static const ElfW(Nhdr) *find_build_id(const char *notes, size_t size)
{
	size_t at = 0;

	while (at + sizeof(ElfW(Nhdr)) <= size) {
		const ElfW(Nhdr) *note = (const void *)(notes + at);
		size_t name = (note->n_namesz + 3) & ~3U;
		size_t value = (note->n_descsz + 3) & ~3U;

		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(note + 1, "GNU", 4))
			return note;
		at += sizeof(*note) + name + value;
	}
	return NULL;
}

void object_identity_set_build_id(const struct dl_phdr_info *info,
				  struct profile_object *object)
{
	const ElfW(Nhdr) *note;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_NOTE)
			continue;
		note = find_build_id((const char *)info->dlpi_addr +
					     segment->p_vaddr,
				     segment->p_memsz);
		if (!note || note->n_descsz > PROFILE_BUILD_ID_MAX)
			continue;
		object->build_id_size = note->n_descsz;
		memcpy(object->build_id, (const char *)(note + 1) + 4,
		       note->n_descsz);
		return;
	}
}

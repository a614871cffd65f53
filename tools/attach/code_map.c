// SPDX-License-Identifier: LGPL-2.1-or-later
#include "attach/code_map.h"
#include "attach/trampoline.h"
#include "common/memory.h"
#include "libprofil/preload/file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEGMENTS_MOST	64
#define NOTES_MOST	4096
/* A process can map millions. The log has no room for so many, and counts what is lost. */
#define CODE_MOST	(2 * PROFIL_OBJECTS_MAX)
#define PAGE		4096UL

/* A line of /proc/PID/maps. */
struct mapping {
	unsigned long	start, end, offset, inode;
	char		rights[5], device[16];
	char		*path;		/* in the line */
};

struct elf {
	Elf64_Phdr	segment[SEGMENTS_MOST];
	size_t		n;
	uint64_t	bias;
};

/* Takes a line out of the text. */
static bool next_mapping(char **text, struct mapping *mapping)
{
	char *line = *text, *end = line ? strchr(line, '\n') : NULL;
	int at = 0;

	if (!end)
		return false;
	*end = '\0';
	*text = end + 1;
	if (sscanf(line, "%lx-%lx %4s %lx %15s %lu %n", &mapping->start, &mapping->end,
		   mapping->rights, &mapping->offset, mapping->device, &mapping->inode,
		   &at) < 6)
		return false;
	mapping->path = line + at;
	return true;
}

static bool is_code(const struct mapping *mapping)
{
	return mapping->rights[2] == 'x' &&
	       (mapping->inode || !strcmp(mapping->path, "[vdso]"));
}

static bool read_at(int memory, uint64_t address, void *bytes, size_t size)
{
	return pread(memory, bytes, size, (off_t)address) == (ssize_t)size;
}

/* The object's header is at @start. */
static bool read_elf(int memory, uint64_t start, struct elf *elf)
{
	Elf64_Ehdr header;
	size_t i;

	if (!read_at(memory, start, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(elf->segment[0]) ||
	    header.e_phnum > SEGMENTS_MOST ||
	    !read_at(memory, start + header.e_phoff, elf->segment,
		     header.e_phnum * sizeof(elf->segment[0])))
		return false;
	elf->n = header.e_phnum;
	for (i = 0; i < elf->n; i++) {
		if (elf->segment[i].p_type != PT_LOAD || elf->segment[i].p_offset >= PAGE)
			continue;
		elf->bias = start - (elf->segment[i].p_vaddr & ~(PAGE - 1));
		return true;
	}
	return false;
}

static const Elf64_Phdr *segment_of(const struct elf *elf, uint32_t type)
{
	size_t i;

	for (i = 0; i < elf->n; i++)
		if (elf->segment[i].p_type == type)
			return &elf->segment[i];
	return NULL;
}

/* Is a segment mapped at @start that begins in the file's first page, as the header does? */
static bool is_segment_at(const struct elf *elf, uint64_t start)
{
	size_t i;

	for (i = 0; i < elf->n; i++)
		if (elf->segment[i].p_type == PT_LOAD &&
		    elf->segment[i].p_offset < PAGE &&
		    elf->bias + (elf->segment[i].p_vaddr & ~(PAGE - 1)) == start)
			return true;
	return false;
}

static bool take_build_id(const char *notes, size_t size, struct code *code)
{
	Elf64_Nhdr note;
	size_t at = 0, name, value;

	for (; at + sizeof(note) <= size; at += sizeof(note) + name + value) {
		memcpy(&note, notes + at, sizeof(note));
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		value = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > size || value > size ||
		    at + sizeof(note) + name + value > size)
			return false;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp(notes + at + sizeof(note), "GNU", 4) ||
		    note.n_descsz > PROFILE_BUILD_ID_MAX)
			continue;
		code->build_id_size = note.n_descsz;
		memcpy(code->build_id, notes + at + sizeof(note) + name, note.n_descsz);
		return true;
	}
	return false;
}

static void set_build_id(int memory, const struct elf *elf, struct code *code)
{
	char notes[NOTES_MOST];
	size_t i;

	for (i = 0; i < elf->n; i++) {
		const Elf64_Phdr *segment = &elf->segment[i];

		if (segment->p_type == PT_NOTE && segment->p_memsz <= sizeof(notes) &&
		    read_at(memory, elf->bias + segment->p_vaddr, notes,
			    segment->p_memsz) &&
		    take_build_id(notes, segment->p_memsz, code))
			return;
	}
}

/* Without what the kernel adds to the name of a file that was removed. */
static char *path_of(const struct target *target, const struct mapping *mapping)
{
	static const char deleted[] = " (deleted)";
	size_t end = sizeof(deleted) - 1, length;
	const char *path = mapping->path;

	/* As the process calls it. */
	if (target->prefix && !strncmp(path, target->prefix, strlen(target->prefix)) &&
	    path[strlen(target->prefix)] == '/')
		path += strlen(target->prefix);
	length = strlen(path);
	if (length > end && !strcmp(path + length - end, deleted))
		length -= end;
	return format_text("%.*s", (int)length, path);
}

/* Where our threads run for a moment: some ticks are there. */
static void add_trampoline(struct code_map *map, const struct mapping *vdso)
{
	uint64_t start = vdso->end - TRAMPOLINE_ROOM;
	struct code *code;

	if (map->n && map->code[map->n - 1].end > start)
		start = map->code[map->n - 1].end;
	ensure(map->code, map->n, map->room);
	code = &map->code[map->n++];
	*code = (struct code){
		.start = start, .end = vdso->end, .bias = start,
		.path = format_text(PROFILE_TRAMPOLINE),
	};
}

static void add(struct code_map *map, int memory, const struct elf *elf,
		const struct mapping *mapping, const struct target *target,
		const Elf64_Phdr *segment)
{
	const Elf64_Phdr *table = segment_of(elf, PT_GNU_EH_FRAME);
	struct code *code;

	ensure(map->code, map->n, map->room);
	code = &map->code[map->n++];
	*code = (struct code){
		.start = elf->bias + segment->p_vaddr,
		.end = elf->bias + segment->p_vaddr + segment->p_memsz,
		.bias = elf->bias,
		.offset = segment->p_offset,
		.path = path_of(target, mapping),
		.eh_frame_hdr = table ? elf->bias + table->p_vaddr : 0,
		.inode = mapping->inode,
	};
	set_build_id(memory, elf, code);
}

/* The segment that is mapped here, unless an earlier line was of it, too. */
static void add_mapped(struct code_map *map, int memory, const struct elf *elf,
		       const struct mapping *mapping, const struct target *target)
{
	size_t i;

	for (i = 0; i < elf->n; i++) {
		const Elf64_Phdr *segment = &elf->segment[i];
		uint64_t start = elf->bias + segment->p_vaddr;
		uint64_t known = map->n ? map->code[map->n - 1].end : 0;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    segment->p_memsz && segment->p_memsz <= UINT64_MAX - start &&
		    start < mapping->end && start + segment->p_memsz > mapping->start &&
		    start >= known)
			add(map, memory, elf, mapping, target, segment);
	}
}

/* To take the lines apart, and to read headers, takes ten times as long. */
uint64_t code_map_sum(const struct target *target)
{
	char *text = target_read(target, "maps", NULL), *line = text, *end;
	uint64_t sum = 0;

	for (; line && (end = strchr(line, '\n')); line = end + 1)
		if (memchr(line, '/', (size_t)(end - line)))
			for (; line < end; line++)
				sum = (sum ^ (unsigned char)*line) * 0x100000001b3;
	free(text);
	return sum;
}

/* The lines of an object follow each other, the one of its header first. */
void code_map_read(struct code_map *map, const struct target *target)
{
	char *text = target_read(target, "maps", NULL), *rest = text;
	int memory = openat(target->proc, "mem", O_RDONLY | O_CLOEXEC);
	struct mapping mapping;
	struct elf elf = { .n = 0 };
	unsigned long inode = 0;

	*map = (struct code_map){ .n = 0 };
	while (memory >= 0 && next_mapping(&rest, &mapping)) {
		bool vdso = !strcmp(mapping.path, "[vdso]");
		/* lld may put the header and code on one page, which is mapped twice. */
		bool again = mapping.inode == inode && is_segment_at(&elf, mapping.start);

		/* Not shared: that may be a device, which notices that it is read. */
		if ((mapping.inode && !mapping.offset && mapping.rights[3] == 'p' &&
		     !again) || vdso) {
			if (!read_elf(memory, mapping.start, &elf))
				elf.n = 0;
			inode = mapping.inode;
		}
		if (is_code(&mapping) && mapping.inode == inode && (map->n < CODE_MOST || vdso))
			add_mapped(map, memory, &elf, &mapping, target);
		if (vdso)
			add_trampoline(map, &mapping);
	}
	if (memory >= 0)
		close(memory);
	free(text);
}

void code_map_free(struct code_map *map)
{
	size_t i;

	for (i = 0; i < map->n; i++)
		free(map->code[i].path);
	free(map->code);
	*map = (struct code_map){ .n = 0 };
}

bool code_map_is_same(const struct code *one, const struct code *other)
{
	return one->start == other->start && one->end == other->end &&
	       one->bias == other->bias && one->offset == other->offset &&
	       one->inode == other->inode && one->build_id_size == other->build_id_size &&
	       !memcmp(one->build_id, other->build_id, sizeof(one->build_id)) &&
	       !strcmp(one->path, other->path);
}

void code_map_set_frames(struct code_map *map, uint64_t start, uint64_t eh_frame_hdr)
{
	size_t i;

	for (i = 0; i < map->n; i++)
		if (map->code[i].start == start)
			map->code[i].eh_frame_hdr = eh_frame_hdr;
}

uint32_t code_map_table(const struct code_map *map, struct profil_object *objects)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < map->n && n < PROFIL_OBJECTS_MAX; i++) {
		const struct code *code = &map->code[i];

		/* Without it, the kernel walks by frame pointers. The trampoline has none. */
		if (!code->eh_frame_hdr && !code->inode)
			continue;
		objects[n++] = (struct profil_object){
			.start = code->start,
			.end = code->end,
			.eh_frame_hdr = code->eh_frame_hdr,
		};
	}
	return n;
}

/* By its name and size at first: a device may notice that it is read. */
static bool is_profile(const struct target *target, int memory,
		       const struct mapping *mapping, uint32_t *run)
{
	const char *name = strrchr(mapping->path, '/');
	char number[16];
	struct profile_header header;

	snprintf(number, sizeof(number), ".%d", (int)target->pid);
	if (mapping->rights[1] != 'w' || mapping->rights[3] != 's' || mapping->offset ||
	    mapping->end - mapping->start < FILE_SAMPLES_AT ||
	    !name || !strstr(name, number) ||
	    !read_at(memory, mapping->start, &header, sizeof(header)) ||
	    memcmp(header.magic, PROFILE_MAGIC, sizeof(header.magic)))
		return false;
	*run = header.run;
	return true;
}

bool code_map_leftover(const struct target *target, unsigned long *address,
		       size_t *size, uint32_t *run)
{
	char *text = target_read(target, "maps", NULL), *rest = text;
	int memory = openat(target->proc, "mem", O_RDONLY | O_CLOEXEC);
	struct mapping mapping;
	unsigned long inode = 0;

	*size = 0;
	while (memory >= 0 && next_mapping(&rest, &mapping)) {
		if (!*size && is_profile(target, memory, &mapping, run)) {
			*address = mapping.start;
			inode = mapping.inode;
		}
		if (inode && mapping.inode == inode &&
		    mapping.start == *address + *size)
			*size += mapping.end - mapping.start;
	}
	if (memory >= 0)
		close(memory);
	free(text);
	return *size;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The section is found by the program's file, and read in its memory, as the kernel does.
 * Both may hold anything: what makes no sense ends the index.
 */
#include "attach/frame_index.h"
#include "common/memory.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_MOST	(1UL << 20)
#define FRAMES_MOST	(64UL << 20)
#define HEAD_MOST	256UL		/* bytes of a CIE */
#define PAGE		4096UL
#define LOWEST		65536UL		/* below it, only root may map memory */

/* Encodings of pointers: LSB 5.0 Core, "DWARF Exception Header Encoding". */
#define PCREL		0x10
#define DATAREL		0x30
#define UDATA4		0x03
#define SDATA4		0x0b

struct frames {
	char		*bytes;
	size_t		size;
	uint64_t	at;		/* in the process */
};

struct entry {
	uint64_t	start, fde;
};

struct entries {
	struct entry	*entry;
	size_t		n, room;
};

static bool read_file(int fd, void *bytes, size_t size, uint64_t offset)
{
	return pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* --- The section --------------------------------------------------------------------- */

static bool is_frames(const Elf64_Shdr *section, const char *names, size_t size)
{
	static const char name[] = ".eh_frame";

	return section->sh_flags & SHF_ALLOC && section->sh_type != SHT_NOBITS &&
	       section->sh_size <= FRAMES_MOST && size > sizeof(name) &&
	       section->sh_name < size - sizeof(name) &&
	       !strcmp(names + section->sh_name, name);
}

static bool find_section(int fd, const Elf64_Ehdr *header, Elf64_Shdr *found)
{
	size_t i, size = header->e_shnum * sizeof(Elf64_Shdr);
	Elf64_Shdr *sections = allocate(size);
	const Elf64_Shdr *strings = &sections[header->e_shstrndx];
	char *names = NULL;
	bool is = false;

	if (!read_file(fd, sections, size, header->e_shoff) ||
	    strings->sh_size > NAMES_MOST)
		goto out;
	names = allocate(strings->sh_size + 1);
	if (!read_file(fd, names, strings->sh_size, strings->sh_offset))
		goto out;
	for (i = 0; i < header->e_shnum && !is; i++) {
		is = is_frames(&sections[i], names, strings->sh_size);
		*found = sections[i];
	}
out:
	free(sections);
	free(names);
	return is;
}

/* The code of the program, if it has no index; NULL: there is nothing to do. */
static const struct code *program_of(const struct code_map *map, int fd)
{
	struct stat status;
	size_t i;

	if (fstat(fd, &status) < 0)
		return NULL;
	for (i = 0; i < map->n; i++)
		if (map->code[i].inode == status.st_ino)
			return map->code[i].eh_frame_hdr ? NULL : &map->code[i];
	return NULL;
}

static bool read_frames(const struct target *target, int fd, const struct code *code,
			struct frames *frames)
{
	Elf64_Ehdr header;
	Elf64_Shdr section;
	int memory;
	bool good;

	if (!read_file(fd, &header, sizeof(header), 0) ||
	    header.e_shentsize != sizeof(section) ||
	    header.e_shstrndx >= header.e_shnum || !find_section(fd, &header, &section))
		return false;
	memory = openat(target->proc, "mem", O_RDONLY | O_CLOEXEC);
	frames->at = code->bias + section.sh_addr;
	frames->size = section.sh_size;
	frames->bytes = allocate(frames->size + 1);
	good = memory >= 0 &&
	       read_file(memory, frames->bytes, frames->size, frames->at);
	if (memory >= 0)
		close(memory);
	return good;
}

/* --- Its contents -------------------------------------------------------------------- */

static uint32_t word(const struct frames *frames, size_t at)
{
	uint32_t value;

	memcpy(&value, frames->bytes + at, sizeof(value));
	return value;
}

static void skip_leb128(const struct frames *frames, size_t *at, size_t end)
{
	while (*at < end && frames->bytes[(*at)++] & 0x80)
		;
}

/* Bytes of a pointer; 0: not known. */
static size_t pointer_bytes(unsigned int encoding)
{
	static const size_t bytes[8] = { 8, 0, 2, 4, 8, 0, 0, 0 };

	return bytes[encoding & 7];
}

/*
 * How the CIE from @at to @end encodes the addresses of its FDEs; -1: in a way that is not
 * known here.
 */
static int encoding_of(const struct frames *frames, size_t at, size_t end)
{
	const char *letter;
	unsigned char version;
	int encoding;

	if (at >= end)
		return -1;
	version = (unsigned char)frames->bytes[at];
	letter = frames->bytes + at + 1;
	if (!memchr(letter, 0, end - at - 1))
		return -1;
	at += 2 + strlen(letter);
	skip_leb128(frames, &at, end);
	skip_leb128(frames, &at, end);
	if (version == 1)
		at++;
	else
		skip_leb128(frames, &at, end);
	if (*letter != 'z')
		return *letter ? -1 : 0;
	skip_leb128(frames, &at, end);
	for (letter++; *letter && at < end; letter++) {
		encoding = (unsigned char)frames->bytes[at];
		if (*letter == 'R')
			return encoding;
		if (*letter == 'P')
			at += pointer_bytes((unsigned int)encoding);
		if (*letter == 'P' || *letter == 'L')
			at++;
	}
	return 0;
}

/* The encoding of the CIE at @at. The part that tells it is short. */
static int encoding_at(const struct frames *frames, size_t at)
{
	size_t end = at + 4 + word(frames, at);

	if (end > frames->size)
		return -1;
	return encoding_of(frames, at + 8, end < at + HEAD_MOST ? end : at + HEAD_MOST);
}

/* The pointer at @at, of 4 or 8 bytes; 0: none. */
static uint64_t pointer(const struct frames *frames, size_t at, size_t end, int encoding)
{
	size_t bytes = pointer_bytes((unsigned int)encoding);
	uint64_t value;

	if (encoding < 0 || (encoding & 0xf0 & ~PCREL) || bytes < 4 || at + bytes > end)
		return 0;
	if (bytes == 8)
		memcpy(&value, frames->bytes + at, sizeof(value));
	else if (encoding & 8)
		value = (uint64_t)(int64_t)(int32_t)word(frames, at);
	else
		value = word(frames, at);
	if (!value)
		return 0;
	return encoding & PCREL ? frames->at + at + value : value;
}

/* Each is a length, then 0 for a CIE, or for an FDE the distance to its CIE. */
static void read_entries(const struct frames *frames, const struct code *code,
			 struct entries *entries)
{
	size_t at, end, cie = 0;
	int encoding = -1;

	for (at = 0; at + 8 <= frames->size; at = end) {
		uint32_t length = word(frames, at), back = word(frames, at + 4);
		uint64_t start;

		end = at + 4 + length;
		if (length < 4 || length > frames->size || end > frames->size)
			break;
		if (!back || back > at + 4)
			continue;
		/* Mostly that of the last one. */
		if (cie != at + 4 - back || encoding < 0) {
			cie = at + 4 - back;
			encoding = encoding_at(frames, cie);
		}
		start = pointer(frames, at + 8, end, encoding);
		/* Of functions that the linker has left out, the address is another one. */
		if (start < code->start || start >= code->end)
			continue;
		ensure(entries->entry, entries->n, entries->room);
		entries->entry[entries->n++] = (struct entry){ start, frames->at + at };
	}
}

static int by_start(const void *one, const void *other)
{
	const struct entry *x = one, *y = other;

	return (x->start > y->start) - (x->start < y->start);
}

/* --- The index ----------------------------------------------------------------------- */

/* Below the program: the memory above it is its heap's. 0: there is no room. */
static uint64_t find_place(const struct target *target, const struct code *code,
			   size_t size)
{
	char *text = target_read(target, "maps", NULL), *rest = text, *line;
	unsigned long end = LOWEST, start, last, inode, place = 0;

	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%lx-%lx %*s %*s %*s %lu", &start, &last, &inode) != 3)
			break;
		if (start > end && start - end >= size + PAGE)
			place = (start - PAGE - size) & ~(PAGE - 1);
		if (inode == code->inode)
			break;
		end = last;
	}
	free(text);
	return place;
}

static uint32_t distance(uint64_t to, uint64_t from)
{
	return (uint32_t)(to - from);
}

static bool is_near(uint64_t place, uint64_t to)
{
	return (int64_t)(to - place) == (int32_t)(to - place);
}

static void write_index(struct frame_index *index, const struct frames *frames,
			const struct entries *entries)
{
	const unsigned char encodings[4] = { 1, PCREL | SDATA4, UDATA4, DATAREL | SDATA4 };
	uint32_t *words;
	size_t i;

	index->bytes = allocate(index->size);
	memcpy(index->bytes, encodings, sizeof(encodings));
	words = (void *)(index->bytes + sizeof(encodings));
	*words++ = distance(frames->at, index->at + 4);
	*words++ = (uint32_t)entries->n;
	for (i = 0; i < entries->n; i++) {
		*words++ = distance(entries->entry[i].start, index->at);
		*words++ = distance(entries->entry[i].fde, index->at);
	}
}

static void make(const struct target *target, const struct code *code,
		 const struct frames *frames, struct frame_index *index)
{
	struct entries entries = { .n = 0 };
	size_t size;

	read_entries(frames, code, &entries);
	size = 12 + entries.n * 8;
	index->at = entries.n ? find_place(target, code, size) : 0;
	if (index->at && is_near(index->at, frames->at) &&
	    is_near(index->at, frames->at + frames->size) &&
	    is_near(index->at, code->start) && is_near(index->at, code->end)) {
		qsort(entries.entry, entries.n, sizeof(entries.entry[0]), by_start);
		index->size = size;
		index->start = code->start;
		write_index(index, frames, &entries);
	}
	free(entries.entry);
}

struct frame_index frame_index_make(const struct target *target,
				    const struct code_map *map)
{
	int fd = openat(target->proc, "exe", O_RDONLY | O_CLOEXEC);
	const struct code *code = fd < 0 ? NULL : program_of(map, fd);
	struct frame_index index = { .size = 0 };
	struct frames frames = { .bytes = NULL };

	if (code && read_frames(target, fd, code, &frames))
		make(target, code, &frames, &index);
	free(frames.bytes);
	if (fd >= 0)
		close(fd);
	return index;
}

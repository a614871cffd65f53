// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/jit_dump.h"
#include "run/kept_map.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC		0x4a695444U	/* another order of bytes is another machine's */
#define NAME_MOST	4096U

enum { CODE_LOAD };

struct header {
	uint32_t	magic, version, size, machine, reserved, pid;
	uint64_t	time, flags;
};

struct record {
	uint32_t	id, size;	/* @size: with this, the name and the code */
	uint64_t	time;
};

/* The name follows, up to its zero, and then the code. */
struct code_load {
	uint32_t	pid, tid;
	uint64_t	vma, start, size, index;
};

static bool get(FILE *dump, void *to, size_t size)
{
	return fread(to, size, 1, dump) == 1;
}

/* Of a longer name only the beginning counts. */
static bool copy_code(FILE *dump, size_t size, FILE *map)
{
	struct code_load load;
	char name[NAME_MOST + 1];

	if (size < sizeof(load) || !get(dump, &load, sizeof(load)))
		return false;
	size -= sizeof(load);
	if (size > NAME_MOST)
		size = NAME_MOST;
	name[size] = '\0';
	if (!get(dump, name, size))
		return false;
	name[strcspn(name, "\n")] = '\0';
	fprintf(map, "%" PRIx64 " %" PRIx64 " %s\n", load.start, load.size, name);
	return true;
}

void jit_dump_copy(FILE *dump, FILE *map)
{
	struct header header;
	struct record record;
	struct stat status;
	off_t at, end;

	/* What is written meanwhile is left out: a process may write for ever. */
	if (!get(dump, &header, sizeof(header)) || header.magic != MAGIC ||
	    fstat(fileno(dump), &status) < 0)
		return;
	end = status.st_size < KEPT_MAP_MOST ? status.st_size : KEPT_MAP_MOST;
	for (at = header.size; at < end && fseeko(dump, at, SEEK_SET) == 0;
	     at += record.size) {
		if (!get(dump, &record, sizeof(record)) || record.size < sizeof(record) ||
		    (record.id == CODE_LOAD &&
		     !copy_code(dump, record.size - sizeof(record), map)))
			return;
	}
}

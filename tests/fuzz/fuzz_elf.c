// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs and libraries with anything in them, as far as they are read here:
 * the linkage table and the table of unwind information. What is read of them
 * by elfutils is elfutils' to test.
 */
#include "object/linkage_table.h"
#include "object/unwind_table.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_entry(void *context, uint64_t start, uint64_t end,
		      const char *name)
{
	(void)context;
	if (end - start > 16 || strlen(name) < strlen("x@plt"))
		abort();
}

static void add_start(void *context, uint64_t start)
{
	*(uint64_t *)context += start;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);
	uint64_t sum = 0;
	Elf *elf;

	memcpy(copy, data, size);
	elf_version(EV_CURRENT);
	elf = elf_memory(copy, size);
	if (elf) {
		linkage_table_read(elf, add_entry, NULL);
		unwind_table_read(elf, add_start, &sum);
		elf_end(elf);
	}
	free(copy);
	return 0;
}

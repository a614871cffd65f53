// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs and libraries with anything in them, as far as they are read here:
 * the linkage table, the table of unwind information, and debug information. What
 * elfutils reads of them is elfutils' to test.
 */
#include "fuzz.h"
#include "object/debug_info.h"
#include "object/linkage_table.h"
#include "object/unwind_table.h"

#define STEP	7	/* from one address to the next that is asked for */

static void add_entry(void *context, uint64_t start, uint64_t end, const char *name)
{
	(void)context;
	if (end - start > 16 || strlen(name) < strlen("x@plt"))
		abort();
}

static void add_start(void *context, uint64_t start)
{
	*(uint64_t *)context += start;
}

static void ask(Dwarf *dwarf)
{
	struct debug_units *debug = debug_units_open(dwarf);

	for (uint64_t address = 0x1000; address < 0x1200; address += STEP) {
		struct line line = debug_info_line(debug, address);
		struct frame frames[CALLS_MOST];

		debug_info_declaration(debug, address);
		if (debug_info_calls(debug, address, frames, &line) > CALLS_MOST)
			abort();
	}
	debug_units_close(debug);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);
	uint64_t sum = 0;
	Dwarf *dwarf;
	Elf *elf;

	memcpy(copy, data, size);
	elf_version(EV_CURRENT);
	elf = elf_memory(copy, size);
	if (elf) {
		linkage_table_read(elf, add_entry, NULL);
		unwind_table_read(elf, add_start, &sum);
	}
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (dwarf) {
		ask(dwarf);
		dwarf_end(dwarf);
	}
	elf_end(elf);
	free(copy);
	return 0;
}

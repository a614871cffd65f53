// SPDX-License-Identifier: LGPL-2.1-or-later
/* Debug information with anything in it, as it is walked here. */
#include "object/debug_info.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define STEP	7	/* from one address to the next that is asked for */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(Dwarf *dwarf)
{
	struct debug_units *debug = debug_units_open(dwarf);
	uint64_t address;

	for (address = 0x1000; address < 0x1200; address += STEP) {
		struct line line = debug_info_line(debug, address);
		struct frame frames[CALLS_MOST];

		debug_info_declaration(debug, address);
		if (debug_info_calls(debug, address, frames, &line) >
		    CALLS_MOST)
			abort();
	}
	debug_units_close(debug);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);
	Dwarf *dwarf;
	Elf *elf;

	memcpy(copy, data, size);
	elf_version(EV_CURRENT);
	elf = elf_memory(copy, size);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (dwarf) {
		ask(dwarf);
		dwarf_end(dwarf);
	}
	elf_end(elf);
	free(copy);
	return 0;
}

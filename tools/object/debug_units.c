// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The ranges of units come from the units themselves: clang writes no .debug_aranges,
 * and Go a wrong one.
 */
#include "object/debug_units.h"
#include "common/memory.h"

#include <dwarf.h>
#include <stdlib.h>

bool debug_units_add_ranges(struct address_ranges *ranges, Dwarf_Die *die,
			    size_t item)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	bool any = false;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		address_ranges_add(ranges, low, high, item);
		any = true;
	}
	return any;
}

/* For a unit without ranges: takes them from its lines. */
static void add_line_ranges(struct debug_units *debug, Dwarf_Die *die,
			    size_t item)
{
	Dwarf_Addr low = 0, address;
	Dwarf_Lines *lines;
	bool inside = false, ends;
	size_t n, i;

	if (dwarf_getsrclines(die, &lines, &n))
		return;
	for (i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);

		if (dwarf_lineaddr(line, &address) ||
		    dwarf_lineendsequence(line, &ends))
			continue;
		if (!inside)
			low = address;
		if (ends)
			address_ranges_add(&debug->ranges, low, address, item);
		inside = !ends;
	}
}

static void add_unit(struct debug_units *debug, Dwarf_Die *die,
		     Dwarf_Die *split)
{
	struct debug_unit unit = { .die = *die,
				   .content = split->addr ? *split : *die };

	ensure(debug->units, debug->n, debug->room);
	debug->units[debug->n] = unit;
	if (!debug_units_add_ranges(&debug->ranges, die, debug->n))
		add_line_ranges(debug, die, debug->n);
	debug->n++;
}

struct debug_units *debug_units_open(Dwarf *dwarf)
{
	struct debug_units *debug = allocate(sizeof(*debug));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(debug, &die, &split);
	address_ranges_sort(&debug->ranges);
	return debug;
}

struct debug_unit *debug_units_find(struct debug_units *debug, uint64_t address)
{
	ssize_t i = address_ranges_find(&debug->ranges, address);

	return i < 0 ? NULL : &debug->units[i];
}

static void free_unit(struct debug_unit *unit)
{
	size_t i;

	for (i = 0; i < unit->n; i++) {
		free(unit->scopes[i].name);
		free(unit->scopes[i].inlined.list);
	}
	free(unit->scopes);
	free(unit->functions.list);
}

void debug_units_close(struct debug_units *debug)
{
	size_t i;

	if (!debug)
		return;
	for (i = 0; i < debug->n; i++)
		free_unit(&debug->units[i]);
	free(debug->units);
	free(debug->ranges.list);
	free(debug);
}

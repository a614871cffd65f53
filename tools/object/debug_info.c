// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/debug_info.h"
#include "object/debug_scopes.h"
#include "object/demangled_name.h"

#include <dwarf.h>

static const char *scope_name(struct debug_scope *scope)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (scope->name)
		return scope->name;
	if (dwarf_attr_integrate(&scope->die, DW_AT_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (!name)
		name = dwarf_diename(&scope->die);
	scope->name = demangled_name(name ? name : "[inlined]");
	return scope->name;
}

/*
 * The line in two attributes; @file is an index in the table of files of its unit.
 * dwarf_decl_file() would fail on missing tables and those of split units.
 */
static struct line named_line(Dwarf_Die *die, unsigned int file,
			      unsigned int number)
{
	struct line line = { NULL, 0 };
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word value;
	Dwarf_Die unit;

	if (dwarf_attr_integrate(die, file, &attribute) &&
	    !dwarf_formudata(&attribute, &value) &&
	    dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) &&
	    !dwarf_getsrcfiles(&unit, &files, NULL))
		line.file = (char *)(uintptr_t)dwarf_filesrc(files, value, NULL,
							     NULL);
	if (dwarf_attr_integrate(die, number, &attribute) &&
	    !dwarf_formudata(&attribute, &value))
		line.number = (int)value;
	return line;
}

static struct line declaration(Dwarf_Die *die)
{
	struct line line = named_line(die, DW_AT_decl_file, DW_AT_decl_line);

	if (!line.file)
		line.number = 0;
	return line;
}

/* The line that calls the inlined function @die. */
static struct line call_line(Dwarf_Die *die)
{
	return named_line(die, DW_AT_call_file, DW_AT_call_line);
}

struct line debug_info_line(struct debug_units *debug, uint64_t address)
{
	struct debug_unit *unit = debug_units_find(debug, address);
	struct line line = { NULL, 0 };
	Dwarf_Line *found;

	if (!unit)
		return line;
	found = dwarf_getsrc_die(&unit->die, address);
	if (!found)
		return line;
	line.file = (char *)(uintptr_t)dwarf_linesrc(found, NULL, NULL);
	dwarf_lineno(found, &line.number);
	return line;
}

struct line debug_info_declaration(struct debug_units *debug, uint64_t address)
{
	struct debug_unit *unit = debug_units_find(debug, address);
	ssize_t function = unit ? debug_scopes_function(unit, address) : -1;

	if (function < 0)
		return (struct line){ NULL, 0 };
	return declaration(&unit->scopes[function].die);
}

size_t debug_info_calls(struct debug_units *debug, uint64_t address,
			struct frame frames[CALLS_MOST], struct line *line)
{
	struct debug_unit *unit = debug_units_find(debug, address);
	size_t calls[CALLS_MOST], n, i;

	if (!unit)
		return 0;
	n = debug_scopes_calls(unit, address, calls);
	for (i = 0; i < n; i++) {
		struct debug_scope *call = &unit->scopes[calls[n - 1 - i]];

		frames[i].name = scope_name(call);
		frames[i].line = *line;
		frames[i].declared = declaration(&call->die);
		*line = call_line(&call->die);
	}
	return n;
}

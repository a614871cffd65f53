// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which unit an address belongs to is taken from the units themselves:
 * .debug_aranges is not there (clang), or not right (Go). Which function, and
 * which inlined call in it, is looked up in ranges that are collected once per
 * unit, and once per function or call that is asked for.
 *
 * Code of a function need not be inside of the ranges of what it is declared
 * in: the code of a lambda is in no other function's.
 */
#include "object/debug.h"
#include "common/memory.h"
#include "object/address_ranges.h"
#include "object/demangled_name.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#define DEPTH_MOST	200	/* of entries in each other */

/* A function, or a call that was inlined. */
struct scope {
	Dwarf_Die	die;
	char		*name;		/* of an inlined one, when it is known */
	struct ranges	inlined;	/* calls in it, as indices of scopes */
	bool		walked;
};

struct unit {
	Dwarf_Die	die;		/* that has the lines */
	Dwarf_Die	content;	/* that has the functions */
	struct ranges	functions;	/* indices of scopes */
	struct scope	*scopes;
	size_t		n, room;
	bool		walked;
};

struct debug {
	Dwarf		*dwarf;
	struct unit	*units;
	size_t		n, room;
	struct ranges	ranges;		/* of units */
};

/* --- units ------------------------------------------------------------------- */

static bool add_ranges(struct ranges *ranges, Dwarf_Die *die, size_t item)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	bool any = false;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		ranges_add(ranges, low, high, item);
		any = true;
	}
	return any;
}

/* A unit that does not say where its code is has lines that do. */
static void add_line_ranges(struct debug *debug, Dwarf_Die *die, size_t item)
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
			ranges_add(&debug->ranges, low, address, item);
		inside = !ends;
	}
}

static void add_unit(struct debug *debug, Dwarf_Die *die, Dwarf_Die *split)
{
	struct unit unit = { .die = *die, .content = split->addr ? *split : *die };

	ensure(debug->units, debug->n, debug->room);
	debug->units[debug->n] = unit;
	if (!add_ranges(&debug->ranges, die, debug->n))
		add_line_ranges(debug, die, debug->n);
	debug->n++;
}

struct debug *debug_open(Dwarf *dwarf)
{
	struct debug *debug = allocate(sizeof(*debug));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	debug->dwarf = dwarf;
	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(debug, &die, &split);
	ranges_sort(&debug->ranges);
	return debug;
}

static struct unit *find_unit(struct debug *debug, uint64_t address)
{
	ssize_t i = ranges_find(&debug->ranges, address);

	return i < 0 ? NULL : &debug->units[i];
}

/* --- scopes ------------------------------------------------------------------ */

static size_t add_scope(struct unit *unit, const Dwarf_Die *die)
{
	ensure(unit->scopes, unit->n, unit->room);
	unit->scopes[unit->n] = (struct scope){ .die = *die };
	return unit->n++;
}

/* What functions can be in. */
static bool is_container(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
	       tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static bool has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_high_pc) ||
	       dwarf_hasattr(die, DW_AT_ranges);
}

static void collect_functions(struct unit *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;
	int result = dwarf_child(parent, &child);

	for (; result == 0; result = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && has_code(&child))
			add_ranges(&unit->functions, &child, add_scope(unit, &child));
		if (is_container(tag) && depth < DEPTH_MOST)
			collect_functions(unit, &child, depth + 1);
	}
}

/* The calls in @parent; what is in these is collected when it is asked for. */
static void collect_calls(struct unit *unit, Dwarf_Die *parent,
			  struct ranges *calls, int depth)
{
	Dwarf_Die child;
	int result = dwarf_child(parent, &child);

	for (; result == 0; result = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_inlined_subroutine)
			add_ranges(calls, &child, add_scope(unit, &child));
		else if (tag == DW_TAG_lexical_block && depth < DEPTH_MOST)
			collect_calls(unit, &child, calls, depth + 1);
	}
}

static ssize_t find_function(struct unit *unit, uint64_t address)
{
	if (!unit->walked) {
		collect_functions(unit, &unit->content, 0);
		ranges_sort(&unit->functions);
		unit->walked = true;
	}
	return ranges_find(&unit->functions, address);
}

static ssize_t find_call(struct unit *unit, size_t scope, uint64_t address)
{
	if (!unit->scopes[scope].walked) {
		Dwarf_Die die = unit->scopes[scope].die;
		struct ranges calls = { NULL };

		collect_calls(unit, &die, &calls, 0);
		ranges_sort(&calls);
		unit->scopes[scope].inlined = calls;
		unit->scopes[scope].walked = true;
	}
	return ranges_find(&unit->scopes[scope].inlined, address);
}

/* --- what they are called and where they are --------------------------------- */

static const char *scope_name(struct scope *scope)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (scope->name)
		return scope->name;
	if (dwarf_attr_integrate(&scope->die, DW_AT_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (!name)
		name = dwarf_diename(&scope->die);
	scope->name = demangle(name ? name : "[inlined]");
	return scope->name;
}

/*
 * The line that two attributes name: @file is a number in the table of its
 * unit. dwarf_decl_file() does not get along with tables of split units, nor
 * with those that are not there.
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

/* Where the inlined function @die was called from. */
static struct line call_line(Dwarf_Die *die)
{
	return named_line(die, DW_AT_call_file, DW_AT_call_line);
}

struct line debug_line(struct debug *debug, uint64_t address)
{
	struct unit *unit = find_unit(debug, address);
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

struct line debug_declaration(struct debug *debug, uint64_t address)
{
	struct unit *unit = find_unit(debug, address);
	ssize_t function = unit ? find_function(unit, address) : -1;

	if (function < 0)
		return (struct line){ NULL, 0 };
	return declaration(&unit->scopes[function].die);
}

/* The calls around @address as indices of scopes, outermost first. */
static size_t find_calls(struct unit *unit, uint64_t address,
			 size_t calls[CALLS_MOST])
{
	ssize_t scope = find_function(unit, address);
	size_t n = 0;

	while (scope >= 0 && n < CALLS_MOST) {
		scope = find_call(unit, (size_t)scope, address);
		if (scope >= 0)
			calls[n++] = (size_t)scope;
	}
	return n;
}

size_t debug_calls(struct debug *debug, uint64_t address,
		   struct frame frames[CALLS_MOST], struct line *line)
{
	struct unit *unit = find_unit(debug, address);
	size_t calls[CALLS_MOST], n, i;

	if (!unit)
		return 0;
	n = find_calls(unit, address, calls);
	for (i = 0; i < n; i++) {
		struct scope *call = &unit->scopes[calls[n - 1 - i]];

		frames[i].name = scope_name(call);
		frames[i].line = *line;
		frames[i].declared = declaration(&call->die);
		*line = call_line(&call->die);
	}
	return n;
}

/* --- the end ----------------------------------------------------------------- */

static void free_unit(struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->n; i++) {
		free(unit->scopes[i].name);
		free(unit->scopes[i].inlined.list);
	}
	free(unit->scopes);
	free(unit->functions.list);
}

void debug_close(struct debug *debug)
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

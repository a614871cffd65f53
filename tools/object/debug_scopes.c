// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ranges of functions are collected once per unit, ranges of inlined calls once per
 * function or call that contains them.
 *
 * The code of a function can lie outside the ranges of the function that declares it:
 * a lambda's does.
 */
#include "object/debug_scopes.h"
#include "common/memory.h"

#include <dwarf.h>

#define DEPTH_MOST	200	/* of nested entries */

static size_t add_scope(struct debug_unit *unit, const Dwarf_Die *die)
{
	ensure(unit->scopes, unit->n, unit->room);
	unit->scopes[unit->n] = (struct debug_scope){ .die = *die };
	return unit->n++;
}

/* Whether an entry can contain functions. */
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

/*
 * Entries follow each other in the file. One that names an earlier one as its next would have
 * all in it collected twice, and those in these four times.
 */
static bool is_ahead(Dwarf_Die *die, Dwarf_Off *last)
{
	Dwarf_Off offset = dwarf_dieoffset(die);

	if (offset <= *last)
		return false;
	*last = offset;
	return true;
}

static void collect_functions(struct debug_unit *unit, Dwarf_Die *parent,
			      Dwarf_Off *last, int depth)
{
	Dwarf_Die child;
	int result = dwarf_child(parent, &child);

	for (; result == 0 && is_ahead(&child, last);
	     result = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && has_code(&child))
			debug_units_add_ranges(&unit->functions, &child,
					       add_scope(unit, &child));
		if (is_container(tag) && depth < DEPTH_MOST)
			collect_functions(unit, &child, last, depth + 1);
	}
}

/* Collects the calls in @parent, and for each the calls in it. */
static struct address_ranges collect_calls(struct debug_unit *unit, Dwarf_Die *parent,
					   struct address_ranges calls, Dwarf_Off *last,
					   int depth)
{
	Dwarf_Die child;
	int result = depth <= DEPTH_MOST ? dwarf_child(parent, &child) : 1;
	size_t call;

	for (; result == 0 && is_ahead(&child, last);
	     result = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_inlined_subroutine) {
			struct address_ranges inner;

			call = add_scope(unit, &child);
			debug_units_add_ranges(&calls, &child, call);
			inner = collect_calls(unit, &child, (struct address_ranges){ 0 },
					      last, depth + 1);
			address_ranges_sort(&inner);
			unit->scopes[call].inlined = inner;
			unit->scopes[call].walked = true;
		} else if (tag == DW_TAG_lexical_block) {
			calls = collect_calls(unit, &child, calls, last, depth + 1);
		}
	}
	return calls;
}

ssize_t debug_scopes_function(struct debug_unit *unit, uint64_t address)
{
	if (!unit->walked) {
		Dwarf_Off last = dwarf_dieoffset(&unit->content);

		collect_functions(unit, &unit->content, &last, 0);
		address_ranges_sort(&unit->functions);
		unit->walked = true;
	}
	return address_ranges_find(&unit->functions, address);
}

static ssize_t find_call(struct debug_unit *unit, size_t scope,
			 uint64_t address)
{
	if (!unit->scopes[scope].walked) {
		Dwarf_Die die = unit->scopes[scope].die;
		Dwarf_Off last = dwarf_dieoffset(&die);
		struct address_ranges calls =
			collect_calls(unit, &die, (struct address_ranges){ 0 }, &last, 0);

		address_ranges_sort(&calls);
		unit->scopes[scope].inlined = calls;
		unit->scopes[scope].walked = true;
	}
	return address_ranges_find(&unit->scopes[scope].inlined, address);
}

size_t debug_scopes_calls(struct debug_unit *unit, uint64_t address,
			  size_t calls[CALLS_MOST])
{
	ssize_t scope = debug_scopes_function(unit, address);
	size_t n = 0;

	while (scope >= 0 && n < CALLS_MOST) {
		scope = find_call(unit, (size_t)scope, address);
		if (scope >= 0)
			calls[n++] = (size_t)scope;
	}
	return n;
}

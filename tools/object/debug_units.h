/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The units of debug information, and the functions and inlined calls in each. */
#ifndef DEBUG_UNITS_H
#define DEBUG_UNITS_H

#include "object/address_ranges.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* A function, or a call that was inlined. */
struct debug_scope {
	Dwarf_Die	die;
	char		*name;		/* of an inlined one, when it is known */
	struct address_ranges	inlined;	/* calls in it, as indices of scopes */
	bool		walked;
};

struct debug_unit {
	Dwarf_Die	die;		/* that has the lines */
	Dwarf_Die	content;	/* that has the functions */
	struct address_ranges	functions;	/* indices of scopes */
	struct debug_scope	*scopes;
	size_t		n, room;
	bool		walked;
};

struct debug_units {
	Dwarf		*dwarf;
	struct debug_unit	*units;
	size_t		n, room;
	struct address_ranges	ranges;		/* of units */
};

/*
 * Nothing is read before it is asked for; each unit once. All that is returned
 * lives as long as this.
 */
struct debug_units *debug_units_open(Dwarf *dwarf);
void debug_units_close(struct debug_units *debug);

/* The unit that @address is in, or NULL. */
struct debug_unit *debug_units_find(struct debug_units *debug,
				    uint64_t address);

/* Adds the ranges of addresses that @die is in. False: there are none. */
bool debug_units_add_ranges(struct address_ranges *ranges, Dwarf_Die *die,
			    size_t item);

#endif

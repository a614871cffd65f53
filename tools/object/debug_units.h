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
	char		*name;		/* inlined: made at first use */
	struct address_ranges	inlined;	/* calls in it, as indices of scopes */
	bool		walked;
};

struct debug_unit {
	Dwarf_Die	die;		/* has the lines */
	Dwarf_Die	content;	/* has the functions */
	struct address_ranges	functions;	/* indices of scopes */
	struct debug_scope	*scopes;
	size_t		n, room;
	bool		walked;
};

struct debug_units {
	struct debug_unit	*units;
	size_t		n, room;
	struct address_ranges	ranges;		/* of units */
};

/* Units are read at first use. What they return is valid until debug_units_close(). */
struct debug_units *debug_units_open(Dwarf *dwarf);
void debug_units_close(struct debug_units *debug);

/* The unit that contains @address, or NULL. */
struct debug_unit *debug_units_find(struct debug_units *debug,
				    uint64_t address);

/* Adds the address ranges of @die. Returns false if it has none. */
bool debug_units_add_ranges(struct address_ranges *ranges, Dwarf_Die *die,
			    size_t item);

#endif

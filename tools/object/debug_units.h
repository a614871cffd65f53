/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The units of debug information, and the functions and inlined calls in each. */
#ifndef DEBUG_UNITS_H
#define DEBUG_UNITS_H

#include "object/address_ranges.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

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

/*
 * Nothing is read before it is asked for; each unit once. All that is returned
 * lives as long as this.
 */
struct debug *debug_open(Dwarf *dwarf);
void debug_close(struct debug *debug);

/* The unit that @address is in, or NULL. */
struct unit *debug_unit(struct debug *debug, uint64_t address);

/* Adds the ranges of addresses that @die is in. False: there are none. */
bool unit_add_ranges(struct ranges *ranges, Dwarf_Die *die, size_t item);

/* Index of the scope that is the function at @address, or -1. */
ssize_t unit_function(struct unit *unit, uint64_t address);

#define CALLS_MOST	31

/* The calls around @address as indices of scopes, outermost first. */
size_t unit_calls(struct unit *unit, uint64_t address, size_t calls[CALLS_MOST]);

#endif

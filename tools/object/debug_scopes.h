/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions and inlined calls of a unit of debug information, by address. */
#ifndef DEBUG_SCOPES_H
#define DEBUG_SCOPES_H

#include "object/debug_units.h"

/* The index of the scope of the function at @address, or -1. */
ssize_t debug_scopes_function(struct debug_unit *unit, uint64_t address);

#define CALLS_MOST	31

/* The inlined calls at @address as indices of scopes, outermost first. */
size_t debug_scopes_calls(struct debug_unit *unit, uint64_t address,
			  size_t calls[CALLS_MOST]);

#endif

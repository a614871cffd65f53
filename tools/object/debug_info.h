/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines and inlined calls of an object, from its debug information. */
#ifndef DEBUG_INFO_H
#define DEBUG_INFO_H

#include "object/debug_scopes.h"

struct line {
	char	*file;		/* NULL: unknown */
	int	number;
};

/* A call that was inlined at an address, or the function itself. */
struct frame {
	const char	*name;
	struct line	line;		/* of the address */
	struct line	declared;	/* of the function */
};

/* The line of @address. Addresses here are those of the debug information. */
struct line debug_info_line(struct debug_units *debug, uint64_t address);

/* The line that declares the function at @address. */
struct line debug_info_declaration(struct debug_units *debug, uint64_t address);

/*
 * The calls that were inlined at @address, innermost first. @line is the line of the
 * innermost call, and becomes that of the function that contains all of them.
 */
size_t debug_info_calls(struct debug_units *debug, uint64_t address,
			struct frame frames[CALLS_MOST], struct line *line);

#endif

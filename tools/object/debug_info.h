/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines and inlined calls of one object, from its debug information. */
#ifndef DEBUG_INFO_H
#define DEBUG_INFO_H

#include "object/debug_scopes.h"

struct line {
	char	*file;		/* NULL: not known */
	int	number;
};

/* One of the calls that were inlined at an address, or the function itself. */
struct frame {
	const char	*name;
	struct line	line;		/* where in the function */
	struct line	declared;	/* where the function begins */
};

/* The line of @address, which is one of the debug information's own. */
struct line debug_info_line(struct debug_units *debug, uint64_t address);

/* Where the function that has @address in its code is declared. */
struct line debug_info_declaration(struct debug_units *debug, uint64_t address);

/*
 * The calls that were inlined at @address, innermost first. @line is the
 * innermost one's line, and becomes that of the function which they are in.
 */
size_t debug_info_calls(struct debug_units *debug, uint64_t address,
			struct frame frames[CALLS_MOST], struct line *line);

#endif

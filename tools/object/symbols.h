/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From addresses of an object to functions, files, lines and inlined calls. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "object/debug.h"
#include "profile/profile.h"

#include <stdio.h>

/* The last address of all can only be in a range that ends with it. */
static inline bool is_before(uint64_t address, uint64_t end)
{
	return address < end || end == UINT64_MAX;
}

struct function {
	uint64_t	start;
	uint64_t	end;
	char		*name;	/* demangled; made from the address, if need be */
	char		*symbol;	/* as in the symbol table, or NULL */
	bool		known;		/* the name is not made from the address */
};

#define FRAMES_MOST	(CALLS_MOST + 1)

/* Where files of the profiled system are, if not at "/", sources too. */
void symbols_set_root(const char *directory);

/*
 * The function at @address: there always is one. Valid until the next call;
 * its strings as long as the object's symbols.
 */
const struct function *symbols_function(struct object *object, uint64_t address);

/* The line of @address. */
struct line symbols_line(struct object *object, uint64_t address);

/* Where the function at @address is declared, as debug information says. */
struct line symbols_declaration(struct object *object, uint64_t address);

/*
 * The frames of @address, innermost first, at least one. Names live as long as
 * the object's symbols.
 */
size_t symbols_frames(struct object *object, uint64_t address,
		      struct frame frames[FRAMES_MOST]);

/*
 * Opens a file that debug information names: below the root, if there is one,
 * or as it is.
 */
FILE *symbols_source(const char *path);

/* The file that the object's code can be read from; NULL: there is none. */
const char *symbols_file(struct object *object);

void symbols_free(struct object *object);

#endif

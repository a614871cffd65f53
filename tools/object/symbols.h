/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From addresses of an object to functions. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "object/debug_info.h"
#include "object/function_table.h"
#include "object/object_file.h"
#include "profile/profile.h"

/* What is known of an object once it has been asked for. */
struct symbols {
	struct object_file	file;
	struct function_table	functions;
	/* frames.c's: */
	struct debug_units		*debug;		/* NULL: there is none */
	Dwarf_Addr		bias;		/* of its addresses */
	bool			has_debug;	/* it has been looked for */
};

/* Of @object, read if need be; until symbols_free(). */
struct symbols *symbols_open(struct object *object);

/*
 * The function at @address: there always is one. Valid until the next call;
 * its strings as long as the object's symbols.
 */
const struct function *symbols_function(struct object *object,
					uint64_t address);

/* The file that the object's code can be read from; NULL: there is none. */
const char *symbols_file(struct object *object);

void symbols_free(struct object *object);

#endif

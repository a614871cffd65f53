/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From addresses of an object to functions. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "object/debug_info.h"
#include "object/function_table.h"
#include "object/object_file.h"
#include "profile/profile.h"

/*
 * The symbols of an object, read at first use: from its file or, if that is gone, has
 * changed or tells less than it did, from the names that were kept with the profile.
 */
struct symbols {
	struct object_file	file;
	struct function_table	functions;
	struct debug_units	*debug;		/* NULL: none */
	Dwarf_Addr		bias;		/* of addresses in debug */
	struct kept_object	*kept;		/* used in place of the file; else NULL */
};

/* The symbols of @object, valid until symbols_free(). */
struct symbols *symbols_open(struct object *object);

/*
 * The function at @address, never NULL. Valid until the next call; its strings as long
 * as the object's symbols.
 */
const struct function *symbols_function(struct object *object,
					uint64_t address);

/* Whether there are any for it, except of code in no file. */
bool symbols_known(struct object *object);

/* The file with the object's code, or NULL. */
const char *symbols_file(struct object *object);

void symbols_free(struct object *object);

#endif

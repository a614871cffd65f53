/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of an object, opened by elfutils. */
#ifndef OBJECT_FILE_H
#define OBJECT_FILE_H

#include "profile/profile.h"

#include <elfutils/libdwfl.h>

struct object_file {
	Dwfl		*dwfl;
	Dwfl_Module	*module;	/* NULL: not found */
	char		*path;		/* NULL: not a file */
};

void object_file_open(struct object_file *file, const struct object *object);
void object_file_close(struct object_file *file);

/* The number of symbols. */
uint32_t object_file_symbols(const struct object_file *file);

/* The debug information, or NULL; @bias is what to add to its addresses. */
Dwarf *object_file_debug(struct object_file *file, Dwarf_Addr *bias);

#endif

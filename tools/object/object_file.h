/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of an object, by elfutils. */
#ifndef OBJECT_FILE_H
#define OBJECT_FILE_H

#include "profile/profile.h"

#include <elfutils/libdwfl.h>

struct object_file {
	Dwfl		*dwfl;
	Dwfl_Module	*module;	/* NULL: it was not found */
	char		*path;		/* NULL: it is no file */
};

void object_file_open(struct object_file *file, const struct object *object);
void object_file_close(struct object_file *file);

/* Its debug information and what is added to the addresses there; NULL: none. */
Dwarf *object_file_debug(struct object_file *file, Dwarf_Addr *bias);

#endif

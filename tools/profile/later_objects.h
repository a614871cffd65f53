/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds objects that only a later record of a file's log has. */
#ifndef LATER_OBJECTS_H
#define LATER_OBJECTS_H

#include "reader/profile_file.h"

struct later_objects;

/* Refers to the records of @file, which must stay open. */
struct later_objects *later_objects_make(const struct profile_file *file);

/* The first record at or after @from of an object that contains @pc, or NULL. */
const struct profile_record *
later_objects_find(const struct later_objects *later, uint64_t pc,
		   const struct profile_record *from);

void later_objects_free(struct later_objects *later);

#endif

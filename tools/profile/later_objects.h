/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which object that is logged later an address is in. */
#ifndef LATER_OBJECTS_H
#define LATER_OBJECTS_H

#include "reader/profile_file.h"

struct later_objects;

/* Of the records of @file, which it refers to. */
struct later_objects *later_objects_make(const struct profile_file *file);

/* The first record at or after @from of an object that has @pc in it, or NULL. */
const struct profile_record *
later_objects_find(const struct later_objects *later, uint64_t pc,
		   const struct profile_record *from);

void later_objects_free(struct later_objects *later);

#endif

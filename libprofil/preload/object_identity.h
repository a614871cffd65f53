/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which file an object in memory is of: its path and its build ID. */
#ifndef PRELOAD_OBJECT_IDENTITY_H
#define PRELOAD_OBJECT_IDENTITY_H

#include <libprofil/profile_format.h>

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The path of the object whose segment is at @start, or what stands for one, in
 * @buffer or elsewhere; @first: it is the first in the list.
 */
const char *object_identity_path(const struct dl_phdr_info *info, bool first,
				 uint64_t start, uint64_t end, char *buffer,
				 size_t size);

/* As far as the object has one. */
void object_identity_set_build_id(const struct dl_phdr_info *info,
				  struct profile_object *object);

#endif

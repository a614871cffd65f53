/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identifies the file of an object in memory: its path and its build ID. */
#ifndef PRELOAD_OBJECT_IDENTITY_H
#define PRELOAD_OBJECT_IDENTITY_H

#include <libprofil/profile_format.h>

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The path of the object with the segment at @start, or a name in brackets if it has
 * none. The string may be in @buffer. @first: it is the first object in the list. @fd is
 * the device, or -1.
 */
const char *object_identity_path(const struct dl_phdr_info *info, bool first,
				 uint64_t start, uint64_t end, char *buffer,
				 size_t size, int fd);

/* Stores the build ID, if the object has one. */
void object_identity_set_build_id(const struct dl_phdr_info *info,
				  struct profile_object *object);

#endif

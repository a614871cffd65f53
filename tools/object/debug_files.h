/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files that debug information is continued in. elfutils opens them by
 * itself, and waits for a FIFO's writer: they are looked at before.
 */
#ifndef DEBUG_FILES_H
#define DEBUG_FILES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Whether @name, as something in @directory has it, is there and no regular
 * file; then says so.
 */
bool debug_file_is_special(const char *directory, const char *name);

/*
 * The same for a tree of debug information, as /usr/lib/debug is one: for @name of
 * something in @directory, and for what has a build ID.
 */
bool debug_file_is_special_in(const char *tree, const char *directory,
			      const char *name);
bool debug_file_is_special_id(const char *tree, const unsigned char *id,
			      size_t size);

/* Whether all that @dwarf, which is @file's, may want to open is regular. */
bool debug_files_are_regular(Dwarf *dwarf, const char *file);

#endif

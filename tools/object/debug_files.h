/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks the files that debug information refers to. elfutils opens them itself, and
 * would wait for the writer of a FIFO.
 */
#ifndef DEBUG_FILES_H
#define DEBUG_FILES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether @name, below @directory if relative, is not a regular file. Then warns. */
bool debug_file_is_special(const char *directory, const char *name);

/*
 * The same for a tree of debug information like /usr/lib/debug: for the debug link
 * @name of a file in @directory, and for a build ID.
 */
bool debug_file_is_special_in(const char *tree, const char *directory,
			      const char *name);
bool debug_file_is_special_id(const char *tree, const unsigned char *id,
			      size_t size);

/* Whether all files that @dwarf of @file may open are regular. */
bool debug_files_are_regular(Dwarf *dwarf, const char *file);

#endif

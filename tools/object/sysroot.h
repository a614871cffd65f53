/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where files of the profiled system are, if not at "/". */
#ifndef SYSROOT_H
#define SYSROOT_H

#include <stdio.h>

/* Programs, libraries, their debug information and sources are below it; "": /. */
void sysroot_set(const char *directory);

/* Where the file is that was @path there; to be freed. */
char *sysroot_path(const char *path);

/*
 * Opens a file that debug information names: below the root, if there is one,
 * or as it is.
 */
FILE *sysroot_source(const char *path);

/* The tree of debug information below the root; NULL: there is no root. */
const char *sysroot_debug_tree(void);

/* Where elfutils looks for debug information; NULL: where it always does. */
extern char *sysroot_debuginfo_path;

#endif

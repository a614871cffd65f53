/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --root: the directory with the files of the profiled system. */
#ifndef SYSROOT_H
#define SYSROOT_H

#include <stdio.h>

/*
 * Sets the root; "" for none. If it is given as /proc/PID/root, as profil does for a process in
 * a container, no program or source outside of it is opened: the process chose the links below
 * it. Separate debug information may be.
 */
void sysroot_set(const char *directory);

/* @path below the root. The caller frees it. */
char *sysroot_path(const char *path);

/* Opens it, as regular_file_open() does. */
int sysroot_open(const char *path);

/* Opens a source file below the root or, if it is not there, as named. */
FILE *sysroot_source(const char *path);

/* The tree of debug information below the root; NULL if there is no root. */
const char *sysroot_debug_tree(void);

/* The search path of elfutils for debug information; NULL: its default. */
extern char *sysroot_debuginfo_path;

#endif

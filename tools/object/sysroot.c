// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/sysroot.h"
#include "common/memory.h"
#include "common/regular_file.h"

#include <stdlib.h>

static char nowhere[] = "", *root = nowhere;
static char *debug_tree;	/* below the root; NULL: no root */
char *sysroot_debuginfo_path;

/*
 * The search path is that of elfutils, with the debug tree below the root first. In it,
 * relative paths are below the directory of the program.
 */
void sysroot_set(const char *directory)
{
	if (root != nowhere)
		free(root);
	free(debug_tree);
	free(sysroot_debuginfo_path);
	debug_tree = sysroot_debuginfo_path = NULL;
	root = nowhere;
	if (!directory[0])
		return;
	root = realpath(directory, NULL);
	if (!root)
		root = format_text("%s", directory);
	debug_tree = format_text("%s/usr/lib/debug", root);
	sysroot_debuginfo_path = format_text("+:.debug:%s:/usr/lib/debug",
					     debug_tree);
}

char *sysroot_path(const char *path)
{
	return format_text("%s%s", root, path);
}

const char *sysroot_debug_tree(void)
{
	return debug_tree;
}

FILE *sysroot_source(const char *path)
{
	char *below = sysroot_path(path);
	FILE *file = regular_file_stream(below);

	free(below);
	/* The program may have been built here, outside of the root. */
	return file || !root[0] ? file : regular_file_stream(path);
}

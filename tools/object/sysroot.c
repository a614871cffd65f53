// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/sysroot.h"
#include "common/memory.h"
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char nowhere[] = "", *root = nowhere;
static int root_fd = -1;
static bool confined;	/* to the root */
static char *debug_tree;	/* below the root; NULL: no root */
char *sysroot_debuginfo_path;

static bool is_same(const char *one, const char *other)
{
	struct stat first, second;

	return stat(one, &first) == 0 && stat(other, &second) == 0 &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* A link in /proc can lead to where no path leads, for example to a container's root. */
static char *whole_path(const char *directory)
{
	char *path = realpath(directory, NULL);

	if (path && is_same(path, directory))
		return path;
	free(path);
	return copy_text(directory);
}

/*
 * The search path is that of elfutils, with the debug tree below the root first. In it,
 * relative paths are below the directory of the program.
 */
void sysroot_set(const char *directory)
{
	if (root != nowhere)
		free(root);
	if (root_fd >= 0)
		close(root_fd);
	root_fd = -1;
	confined = false;
	free(debug_tree);
	free(sysroot_debuginfo_path);
	debug_tree = sysroot_debuginfo_path = NULL;
	root = nowhere;
	if (!directory[0])
		return;
	root = whole_path(directory);
	root_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	confined = !strncmp(directory, "/proc/", strlen("/proc/"));
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

int sysroot_open(const char *path)
{
	char *below;
	int fd = -1;

	errno = ENOENT;
	if (root_fd >= 0)
		fd = regular_file_open_in(root_fd, path);
	if (fd >= 0 || confined)
		return fd;
	/* Links may lead out of a root that the user names. */
	below = sysroot_path(path);
	fd = regular_file_open(below);
	free(below);
	return fd;
}

FILE *sysroot_source(const char *path)
{
	int fd = sysroot_open(path);

	/* The program may have been built here, outside of the root. */
	if (fd < 0 && root[0] && !confined)
		fd = regular_file_open(path);
	return regular_file_stream(fd);
}

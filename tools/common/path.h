/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PATH_H
#define PATH_H

#include <string.h>

/* The part of @path after its last slash, or all of it if that part is empty. */
static inline const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif

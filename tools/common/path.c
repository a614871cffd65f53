// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/path.h"

#include <string.h>

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

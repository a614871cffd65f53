// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/load_path.h"
#include "common/memory.h"
#include "common/message.h"
#include "profile/load_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_visible(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');
	bool map = dot && !strcmp(dot, ".map") &&
		   !strncmp(entry->d_name, "perf-", 5);

	return entry->d_name[0] != '.' && !map;
}

static bool add_directory(struct profile *profile, const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_visible, alphasort), i;
	bool any = false;

	if (n < 0) {
		warn("%s: cannot be read", path);
		return false;
	}
	for (i = 0; i < n; i++) {
		char *name = format_text("%s/%s", path, entries[i]->d_name);

		any |= load_file(profile, name);
		free(name);
		free(entries[i]);
	}
	free(entries);
	if (!n)
		warn("%s: no profile files", path);
	return any;
}

bool load_path(struct profile *profile, const char *path)
{
	struct stat status;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return add_directory(profile, path);
	return load_file(profile, path);
}

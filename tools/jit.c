// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines of "start size name", numbers in hexadecimal. */
#include "jit.h"
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_map(const char *directory, uint32_t pid)
{
	char *path = format_text("%s/perf-%u.map", directory, pid);
	FILE *map = fopen(path, "re");

	free(path);
	return map;
}

void jit_read(const char *directory, uint32_t pid, jit_add *add, void *context)
{
	FILE *map = directory ? open_map(directory, pid) : NULL;
	uint64_t start, size;
	char *line = NULL;
	size_t room = 0;
	int name = 0;

	if (!map)
		map = open_map("/tmp", pid);
	if (!map)
		return;
	while (getline(&line, &room, map) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &start, &size,
			   &name) == 2 && size && line[name])
			add(context, start, size, line + name);
	}
	free(line);
	fclose(map);
}

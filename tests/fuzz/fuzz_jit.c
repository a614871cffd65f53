// SPDX-License-Identifier: LGPL-2.1-or-later
/* perf-PID.map files: what is read from them is in order. */
#include "object/jit_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PID	4294967295U	/* that no process has */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[] = "/tmp/profil-fuzz.XXXXXX", path[64];
static uint64_t last;

static void remove_all(void)
{
	unlink(path);
	rmdir(directory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/perf-%u.map", directory, PID);
	return atexit(remove_all);
}

static void check_piece(void *context, uint64_t start, uint64_t end,
			const char *name)
{
	(void)context;
	if (start >= end || start < last || !name[0] || strchr(name, '\n'))
		abort();
	last = end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *map = fopen(path, "w");

	if (!map || fwrite(data, 1, size, map) != size || fclose(map))
		abort();
	last = 0;
	jit_map_read(directory, PID, geteuid(), check_piece, NULL);
	return 0;
}

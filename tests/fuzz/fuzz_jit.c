// SPDX-License-Identifier: LGPL-2.1-or-later
/* perf-PID.map files: what is read from them is in order. */
#include "fuzz.h"
#include "object/jit_map.h"

static uint64_t last;

/* The number of no process. */
FUZZ_FILE("perf-4294967295.map")

static void check_piece(void *context, uint64_t start, uint64_t end, const char *name)
{
	(void)context;
	if (start >= end || start < last || !name[0] || strchr(name, '\n'))
		abort();
	last = end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct object object = { .directory = fuzz_directory, .pid = UINT32_MAX,
				       .owner = geteuid() };
	FILE *map = fopen(fuzz_path, "w");

	if (!map || fwrite(data, 1, size, map) != size || fclose(map))
		abort();
	last = 0;
	jit_map_read(&object, check_piece, NULL);
	return 0;
}

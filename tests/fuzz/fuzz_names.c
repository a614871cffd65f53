// SPDX-License-Identifier: LGPL-2.1-or-later
/* Kept names with anything in them: all that is found can be read. */
#include "fuzz.h"
#include "profile/kept_names.h"

#include <zlib.h>

FUZZ_FILE(PROFILE_NAMES)

static void write_file(const uint8_t *data, size_t size)
{
	const struct profile_names_header header = {
		.magic = PROFILE_NAMES_MAGIC, .version = PROFILE_NAMES_VERSION,
		.byte_order = PROFILE_BYTE_ORDER, .size = size,
	};
	uLongf n = compressBound(size);
	uint8_t *bytes = malloc(n);
	FILE *file = fopen(fuzz_path, "w");

	if (!file || compress2(bytes, &n, data, size, 1) != Z_OK ||
	    fwrite(&header, sizeof(header), 1, file) != 1 ||
	    fwrite(bytes, 1, n, file) != n || fclose(file))
		abort();
	free(bytes);
}

static void check_frames(const struct kept_object *object)
{
	for (size_t i = 0; i < object->naddresses; i++) {
		size_t n;
		const struct kept_frame *frames =
			kept_names_frames(object, object->addresses[i].address, &n);

		if (!n || frames[n - 1].name)
			abort();
		for (; n > 1; n--)
			if (strchr(frames[n - 2].name, '\n'))
				abort();
	}
}

static void check_functions(const struct kept_object *object)
{
	for (size_t i = 0; i < object->nfunctions; i++) {
		const struct kept_function *function = &object->functions[i];

		if (function->first > function->start || function->start > function->end ||
		    function->end > function->last || (i && function[-1].end > function->start))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kept_names *names;
	struct kept_object *object;

	write_file(data, size);
	names = kept_names_read(fuzz_directory);
	object = kept_names_find(names, "/p", (const uint8_t *)"", 0);
	if (object) {
		check_functions(object);
		check_frames(object);
	}
	kept_names_free(names);
	return 0;
}

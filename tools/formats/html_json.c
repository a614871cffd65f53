// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_json.h"
#include "common/memory.h"
#include "common/message.h"

#include <stdlib.h>
#include <string.h>

/* Only strings contain "<". HTML must not find "</script>" in them. */
static int write_escaped(const char *buffer, size_t size, void *context)
{
	FILE *out = context;
	const char *end;

	while ((end = memchr(buffer, '<', size))) {
		fwrite(buffer, 1, (size_t)(end - buffer), out);
		fputs("\\u003c", out);
		size -= (size_t)(end + 1 - buffer);
		buffer = end + 1;
	}
	fwrite(buffer, 1, size, out);
	return 0;
}

void html_json_write(json_t *value, FILE *out)
{
	if (!value || json_dump_callback(value, write_escaped, out,
					 JSON_COMPACT | JSON_ENCODE_ANY))
		die("cannot write JSON");
	json_decref(value);
}

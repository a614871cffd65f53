// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_json.h"
#include "common/memory.h"
#include "common/message.h"

#include <stdlib.h>

/* Only strings contain "<". HTML must not find "</script>" in them. */
static int write_escaped(const char *buffer, size_t size, void *context)
{
	FILE *out = context;
	size_t i;

	for (i = 0; i < size; i++) {
		if (buffer[i] == '<')
			fputs("\\u003c", out);
		else
			fputc(buffer[i], out);
	}
	return 0;
}

void html_json_write(json_t *value, FILE *out)
{
	if (!value || json_dump_callback(value, write_escaped, out,
					 JSON_COMPACT | JSON_ENCODE_ANY))
		die("cannot write JSON");
	json_decref(value);
}

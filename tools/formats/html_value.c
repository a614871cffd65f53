// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_value.h"
#include "common/message.h"

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

void html_value_json(json_t *value, FILE *out)
{
	if (!value || json_dump_callback(value, write_escaped, out,
					 JSON_COMPACT | JSON_ENCODE_ANY))
		die("cannot write JSON");
	json_decref(value);
}

/* As in RFC 4648, with padding. */
static void write_base64(const uint8_t *bytes, size_t n, FILE *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4];
	size_t i, j;

	for (i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t word = (uint32_t)bytes[i] << 16;

		if (left > 1)
			word |= (uint32_t)bytes[i + 1] << 8;
		if (left > 2)
			word |= bytes[i + 2];
		for (j = 0; j < 4; j++)
			text[j] = j > left ? '=' : digits[word >> (18 - 6 * j) & 63];
		fwrite(text, 1, sizeof(text), out);
	}
}

void html_value_packed(const struct varints *packed, FILE *out)
{
	fputc('"', out);
	write_base64(packed->bytes, packed->n, out);
	fputc('"', out);
}

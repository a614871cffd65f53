// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_json.h"
#include "common/memory.h"
#include "common/message.h"

#include <stdlib.h>

/* In strings only, where HTML must not find the end of the script. */
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

void html_write_json(json_t *value, FILE *out)
{
	if (!value || json_dump_callback(value, write_escaped, out,
					 JSON_COMPACT | JSON_ENCODE_ANY))
		die("cannot write JSON");
	json_decref(value);
}

void packed_add(struct packed *packed, uint64_t value)
{
	do {
		ensure(packed->bytes, packed->n, packed->room);
		packed->bytes[packed->n++] =
			(uint8_t)((value & 127) | (value > 127 ? 128 : 0));
		value >>= 7;
	} while (value);
}

void packed_append(struct packed *packed, const struct packed *more)
{
	size_t i;

	for (i = 0; i < more->n; i++) {
		ensure(packed->bytes, packed->n, packed->room);
		packed->bytes[packed->n++] = more->bytes[i];
	}
}

void packed_write(const struct packed *packed, FILE *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, j;

	fputc('"', out);
	for (i = 0; i < packed->n; i += 3) {
		size_t left = packed->n - i;
		uint32_t word = (uint32_t)packed->bytes[i] << 16;

		if (left > 1)
			word |= (uint32_t)packed->bytes[i + 1] << 8;
		if (left > 2)
			word |= packed->bytes[i + 2];
		for (j = 0; j < 4; j++)
			fputc(j > left ? '=' : digits[word >> (18 - 6 * j) & 63],
			      out);
	}
	fputc('"', out);
}

void packed_free(struct packed *packed)
{
	free(packed->bytes);
	*packed = (struct packed){ NULL };
}

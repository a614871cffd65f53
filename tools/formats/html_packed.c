// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_packed.h"
#include "common/memory.h"
#include "content/base64.h"

#include <stdlib.h>

void html_packed_add(struct html_packed *packed, uint64_t value)
{
	do {
		ensure(packed->bytes, packed->n, packed->room);
		packed->bytes[packed->n++] =
			(uint8_t)((value & 127) | (value > 127 ? 128 : 0));
		value >>= 7;
	} while (value);
}

void html_packed_append(struct html_packed *packed,
			const struct html_packed *more)
{
	size_t i;

	for (i = 0; i < more->n; i++) {
		ensure(packed->bytes, packed->n, packed->room);
		packed->bytes[packed->n++] = more->bytes[i];
	}
}

void html_packed_write(const struct html_packed *packed, FILE *out)
{
	fputc('"', out);
	base64_write(packed->bytes, packed->n, out);
	fputc('"', out);
}

void html_packed_free(struct html_packed *packed)
{
	free(packed->bytes);
	*packed = (struct html_packed){ 0 };
}

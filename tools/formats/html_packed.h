/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packs numbers into text for the page. */
#ifndef HTML_PACKED_H
#define HTML_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct html_packed {
	uint8_t	*bytes;
	size_t	n, room;
};

/* Adds @value in groups of 7 bits, the lowest first. Bit 7: more groups follow. */
void html_packed_add(struct html_packed *packed, uint64_t value);
void html_packed_append(struct html_packed *packed,
			const struct html_packed *more);

/* Writes a base64 string with quotes. */
void html_packed_write(const struct html_packed *packed, FILE *out);
void html_packed_free(struct html_packed *packed);

#endif

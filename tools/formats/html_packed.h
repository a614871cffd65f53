/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of any size as text of a page. */
#ifndef HTML_PACKED_H
#define HTML_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes that are written as text: numbers of any size. */
struct html_packed {
	uint8_t	*bytes;
	size_t	n, room;
};

/* @value in groups of 7 bits, the lowest first; all but the last have bit 7. */
void html_packed_add(struct html_packed *packed, uint64_t value);
void html_packed_append(struct html_packed *packed,
			const struct html_packed *more);

/* As a string of base64, with its quotes. */
void html_packed_write(const struct html_packed *packed, FILE *out);
void html_packed_free(struct html_packed *packed);

#endif

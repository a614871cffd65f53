/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON within a page. */
#ifndef HTML_JSON_H
#define HTML_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Takes @value over. HTML finds no end of the script in it. */
void html_write_json(json_t *value, FILE *out);

/* Bytes that are written as text: numbers of any size. */
struct packed {
	uint8_t	*bytes;
	size_t	n, room;
};

/* @value in groups of 7 bits, the lowest first; all but the last have bit 7. */
void packed_add(struct packed *packed, uint64_t value);
void packed_append(struct packed *packed, const struct packed *more);

/* As a string of base64, with its quotes. */
void packed_write(const struct packed *packed, FILE *out);
void packed_free(struct packed *packed);

#endif

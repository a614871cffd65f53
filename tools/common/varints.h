/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as bytes: groups of 7 bits, the lowest first. Bit 7: more groups follow. */
#ifndef VARINTS_H
#define VARINTS_H

#include <stddef.h>
#include <stdint.h>

struct varints {
	uint8_t	*bytes;
	size_t	n, room;
};

/* The bytes of @value. */
static inline size_t varints_size(uint64_t value)
{
	size_t n = 1;

	while (value >>= 7)
		n++;
	return n;
}

void varints_add(struct varints *list, uint64_t value);
void varints_append(struct varints *list, const void *bytes, size_t n);
void varints_free(struct varints *list);

#endif

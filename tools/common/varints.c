// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/varints.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

void varints_add(struct varints *list, uint64_t value)
{
	do {
		ensure(list->bytes, list->n, list->room);
		list->bytes[list->n++] =
			(uint8_t)((value & 127) | (value > 127 ? 128 : 0));
		value >>= 7;
	} while (value);
}

void varints_append(struct varints *list, const void *bytes, size_t n)
{
	if (!n)
		return;
	ensure(list->bytes, list->n + n - 1, list->room);
	memcpy(list->bytes + list->n, bytes, n);
	list->n += n;
}

void varints_free(struct varints *list)
{
	free(list->bytes);
	*list = (struct varints){ 0 };
}

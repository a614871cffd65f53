// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/format_table.h"

#include <string.h>

#define ROW(name, note, binary, needs, limit)				\
	{ #name, note, report_##name, binary, needs, limit },

const struct format format_table[] = {
	FORMATS(ROW)
	{ NULL, NULL, NULL, false, NEEDS_NOTHING, 0 }
};

const struct format *format_table_find(const char *name)
{
	const struct format *format = format_table;

	while (format->name && strcmp(format->name, name))
		format++;
	return format->name ? format : NULL;
}

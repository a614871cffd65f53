// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/json_text.h"
#include "common/clean_text.h"
#include "common/message.h"
#include "object/frames.h"

#include <jansson.h>

void json_text_write(const char *text, FILE *out)
{
	json_t *string = json_string(text);

	if (!string || json_dumpf(string, out, JSON_ENCODE_ANY))
		die("cannot write JSON");
	json_decref(string);
}

char *json_text_file(const struct report *report, const struct row *row, int *number)
{
	struct object *object = &report->profile->objects[row->object];
	struct line line = row->declared;

	if (!row->inlined)
		line = frames_declaration(object, row->start);
	if (!row->inlined && !line.file)
		line = frames_line(object, row->start);
	*number = line.file && line.number > 0 ? line.number : 0;
	return clean_text(line.file ? line.file : object->path);
}

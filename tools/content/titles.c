// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/titles.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/path.h"
#include "object/frames.h"

#include <inttypes.h>
#include <stdlib.h>

char *titles_function(const struct row *row)
{
	if (!row->inlined)
		return copy_text(row->name);
	if (!row->nsites)
		return format_text("%s (inlined)", row->name);
	if (row->nsites == 1)
		return format_text("%s (inlined into %s)", row->name,
				   row->sites[0].name);
	return format_text("%s (inlined into %zu functions)", row->name,
			   row->nsites);
}

char *titles_place(const struct report *report, const struct row *row)
{
	struct object *object = &report->profile->objects[row->object];
	struct line line;
	char *name, *clean;

	/* It only called other functions. */
	if (!row->samples && !row->nplaces)
		return copy_text("");
	line = frames_line(object, row->hottest);
	if (!line.file)
		return format_text("0x%" PRIx64, row->hottest);
	name = format_text("%s:%d", path_name(line.file), line.number);
	clean = clean_text(name);
	free(name);
	return clean;
}

const char *titles_process(const struct profile *profile,
			   const struct process *process)
{
	return process->arguments && process->arguments[0] ? process->arguments :
		profile->commands[process->command];
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/source_lines.h"
#include "common/clean_text.h"
#include "common/compare.h"
#include "common/memory.h"
#include "common/path.h"
#include "object/frames.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct source_line {
	size_t		place;
	struct frame	frame;
};

static struct frame frame_of(const struct report *report, size_t place)
{
	const struct place *at = &report->profile->places[place];
	struct frame frames[FRAMES_MOST];

	frames_at(&report->profile->objects[at->object], at->address, frames);
	return frames[0];
}

static int compare(const void *a, const void *b)
{
	const struct frame *x = &((const struct source_line *)a)->frame;
	const struct frame *y = &((const struct source_line *)b)->frame;

	if (x->line.file && y->line.file)
		return strcmp(x->line.file, y->line.file) ?:
		       compare_numbers((uint64_t)x->line.number, (uint64_t)y->line.number) ?:
		       strcmp(x->name, y->name);
	return !x->line.file - !y->line.file ?: strcmp(x->name, y->name);
}

static void ignore(void *node)
{
	(void)node;
}

size_t *source_lines_first(const struct report *report)
{
	size_t n = report->profile->nplaces, i;
	struct source_line *lines = allocate(n * sizeof(*lines)), **found;
	size_t *first = allocate(n * sizeof(*first));
	void *index = NULL;

	for (i = 0; i < n; i++) {
		lines[i] = (struct source_line){ i, frame_of(report, i) };
		found = tsearch(&lines[i], &index, compare);
		if (!found)
			out_of_memory();
		first[i] = (*found)->place;
	}
	tdestroy(index, ignore);
	free(lines);
	return first;
}

char *source_lines_name(const struct report *report, size_t place)
{
	struct frame frame = frame_of(report, place);
	char *file, *name;

	if (!frame.line.file)
		return copy_text(frame.name);
	file = clean_text(path_name(frame.line.file));
	name = format_text("%s:%d  %s", file, frame.line.number, frame.name);
	free(file);
	return name;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* "command;object;function;inlined call N" lines, for flame graphs. */
#include "common/memory.h"
#include "content/report.h"
#include "formats/formats.h"
#include "object/frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A separator in a name would be another frame. */
static void print_frame(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, out);
}

static char *stack_of(const struct report *report, const struct place *place)
{
	struct profile *profile = report->profile;
	struct object *object = &profile->objects[place->object];
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, place->address, frames), size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		out_of_memory();
	print_frame(out, profile_command(profile, place));
	fputc(';', out);
	print_frame(out, object->name);
	while (n--) {
		fputc(';', out);
		print_frame(out, frames[n].name);
	}
	fclose(out);
	return text;
}

struct stack {
	char		*text;
	uint64_t	samples;
};

static int compare_stacks(const void *a, const void *b)
{
	return strcmp(((const struct stack *)a)->text,
		      ((const struct stack *)b)->text);
}

bool report_folded(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	struct stack *stacks = allocate(profile->nplaces * sizeof(*stacks));
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < profile->nplaces; i++)
		stacks[i] = (struct stack){
			stack_of(report, &profile->places[i]),
			profile->places[i].samples
		};
	if (profile->nplaces)
		qsort(stacks, profile->nplaces, sizeof(*stacks), compare_stacks);
	for (i = 0; i < profile->nplaces; i++) {
		samples += stacks[i].samples;
		if (i + 1 < profile->nplaces &&
		    !strcmp(stacks[i].text, stacks[i + 1].text))
			continue;
		fprintf(out, "%s %" PRIu64 "\n", stacks[i].text, samples);
		samples = 0;
	}
	for (i = 0; i < profile->nplaces; i++)
		free(stacks[i].text);
	free(stacks);
	return true;
}

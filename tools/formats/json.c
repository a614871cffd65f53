// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * speedscope's JSON. Without stacks it is one profile of weighted stacks of
 * command, object, function and what is inlined into it.
 */
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/message.h"
#include "content/report.h"
#include "formats/formats.h"
#include "formats/json_stacks.h"
#include "object/frames.h"

#include <jansson.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define STACK_MOST	(FRAMES_MOST + 2)

struct named {
	char	*name;
	char	*file;		/* or NULL */
	int	line;
	size_t	index;
};

struct written {
	json_t	*frames, *samples, *weights;
	void	*index;		/* tsearch() tree of struct named */
	size_t	last[STACK_MOST], nlast;
	int64_t	ns;		/* of the last stack */
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->file ? x->file : "", y->file ? y->file : "");
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void free_named(void *node)
{
	struct named *named = node;

	free(named->name);
	free(named->file);
	free(named);
}

static json_t *make_frame(const struct named *named)
{
	json_t *frame = json_pack("{s:s}", "name", named->name);

	if (named->file)
		json_object_set_new(frame, "file", json_string(named->file));
	if (named->file && named->line > 0)
		json_object_set_new(frame, "line", json_integer(named->line));
	return frame;
}

static size_t frame_index(struct written *stacks, const char *name,
			  const char *file, int line)
{
	struct named *named = allocate(sizeof(*named)), **found;
	size_t index;

	named->name = format_text("%s", name);
	named->file = file ? clean_text(file) : NULL;
	named->line = line;
	found = tsearch(named, &stacks->index, compare_named);
	if (!found)
		out_of_memory();
	if (*found != named) {
		index = (*found)->index;
		free_named(named);
		return index;
	}
	named->index = json_array_size(stacks->frames);
	json_array_append_new(stacks->frames, make_frame(named));
	return named->index;
}

static size_t make_stack(struct written *stacks, struct profile *profile,
			 const struct place *place, size_t stack[STACK_MOST])
{
	struct object *object = &profile->objects[place->object];
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, place->address, frames), at = 0;
	uint64_t start = symbols_function(object, place->address)->start;
	struct line line = frames_declaration(object, start);

	if (!line.file)
		line = frames_line(object, start);
	stack[at++] = frame_index(stacks, profile_command(profile, place), NULL, 0);
	stack[at++] = frame_index(stacks, object->name, object->path, 0);
	stack[at++] = frame_index(stacks, frames[n - 1].name,
				  line.file ? line.file : object->path, line.number);
	for (n--; n--;)
		stack[at++] = frame_index(stacks, frames[n].name,
					  frames[n].declared.file,
					  frames[n].declared.number);
	return at;
}

static void end_stack(struct written *stacks)
{
	json_t *stack = json_array();
	size_t i;

	for (i = 0; i < stacks->nlast; i++)
		json_array_append_new(stack, json_integer((json_int_t)stacks->last[i]));
	json_array_append_new(stacks->samples, stack);
	json_array_append_new(stacks->weights, json_integer(stacks->ns));
	stacks->ns = 0;
}

static void add_place(struct written *stacks, struct profile *profile,
		      const struct place *place)
{
	size_t stack[STACK_MOST];
	size_t n = make_stack(stacks, profile, place, stack);

	if (stacks->nlast && (n != stacks->nlast ||
			      memcmp(stack, stacks->last, n * sizeof(*stack))))
		end_stack(stacks);
	memcpy(stacks->last, stack, n * sizeof(*stack));
	stacks->nlast = n;
	stacks->ns += (int64_t)place->ns;
}

static json_t *make_profile(const struct profile *profile, struct written *stacks)
{
	return json_pack("{s:s, s:s, s:s, s:i, s:I, s:o, s:o}",
			 "type", "sampled", "name", "CPU time",
			 "unit", "nanoseconds", "startValue", 0,
			 "endValue", (json_int_t)profile->ns,
			 "samples", stacks->samples, "weights", stacks->weights);
}

static json_t *make_document(const struct profile *profile, struct written *stacks)
{
	const struct process *first = profile_first(profile);

	return json_pack("{s:s, s:s, s:s, s:i, s:{s:o}, s:[o]}",
		"$schema", "https://www.speedscope.app/file-format-schema.json",
		"exporter", "profil",
		"name", first ? profile->commands[first->command] : "profil",
		"activeProfileIndex", 0,
		"shared", "frames", stacks->frames,
		"profiles", make_profile(profile, stacks));
}

static bool write_places(const struct report *report, FILE *out)
{
	struct profile *profile = report->profile;
	struct written stacks = {
		.frames = json_array(), .samples = json_array(),
		.weights = json_array(),
	};
	json_t *document;
	size_t i;
	bool done;

	for (i = 0; i < profile->nplaces; i++)
		add_place(&stacks, profile, &profile->places[i]);
	if (stacks.nlast)
		end_stack(&stacks);
	document = make_document(profile, &stacks);
	done = document && json_dumpf(document, out, JSON_COMPACT) == 0;
	if (!done)
		warn("cannot write JSON");
	json_decref(document);
	tdestroy(stacks.index, free_named);
	return done;
}

bool report_json(const struct report *report, FILE *out)
{
	return report->calls.n ? json_stacks(report, out) : write_places(report, out);
}

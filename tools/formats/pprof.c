// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The pprof format: a gzip'ed protocol buffer. Functions, lines and inlined
 * calls are in it, so that it can be looked at where the binaries are not.
 */
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/message.h"
#include "content/address_space.h"
#include "content/gzip.h"
#include "content/report.h"
#include "formats/formats.h"
#include "object/frames.h"
#include "pprof.pb-c.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A list of messages, as protobuf-c wants them: pointers. */
struct list {
	void	**items;
	size_t	n, room;
};

struct writer {
	PprofProfile	profile;
	struct list	samples, mappings, locations, functions, strings;
	struct list	owned;		/* all that is to be freed */
	void		*string_index;	/* tsearch() trees */
	void		*function_index;
	uint64_t	*bases;
};

static void *append(struct list *list, void *item)
{
	ensure(list->items, list->n, list->room);
	return list->items[list->n++] = item;
}

static void *own(struct writer *writer, void *memory)
{
	return append(&writer->owned, memory);
}

static void *get(struct writer *writer, size_t size)
{
	return own(writer, allocate(size));
}

#define new_message(writer, type, init)					\
	({ type *message_ = get(writer, sizeof(*message_)); init(message_); message_; })

struct string {
	const char	*text;
	int64_t		index;
};

static int compare_strings(const void *a, const void *b)
{
	return strcmp(((const struct string *)a)->text,
		      ((const struct string *)b)->text);
}

/* Strings live until the profile has been written: no copies. */
static int64_t string_index(struct writer *writer, const char *text)
{
	struct string *string = get(writer, sizeof(*string)), **found;

	string->text = text;
	found = tsearch(string, &writer->string_index, compare_strings);
	if (!found)
		out_of_memory();
	if (*found != string)
		return (*found)->index;
	string->index = (int64_t)writer->strings.n;
	append(&writer->strings, (void *)(uintptr_t)text);
	return string->index;
}

static int compare_functions(const void *a, const void *b)
{
	const PprofFunction *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->filename < y->filename ? -1 : x->filename > y->filename;
}

static uint64_t function_id(struct writer *writer, const struct frame *frame)
{
	PprofFunction *function =
		new_message(writer, PprofFunction, pprof_function__init), **found;

	function->name = string_index(writer, frame->name);
	function->system_name = function->name;
	function->filename = string_index(writer, frame->line.file ?
					  own(writer, clean_text(frame->line.file)) : "");
	found = tsearch(function, &writer->function_index, compare_functions);
	if (!found)
		out_of_memory();
	if (*found != function)
		return (*found)->id;
	append(&writer->functions, function);
	return function->id = writer->functions.n;
}

static void add_mapping(struct writer *writer, const struct object *object,
			uint64_t base)
{
	PprofMapping *mapping = new_message(writer, PprofMapping, pprof_mapping__init);
	char *build_id = get(writer, 2 * PROFILE_BUILD_ID_MAX + 1);
	uint32_t i;

	for (i = 0; i < object->build_id_size; i++)
		sprintf(build_id + 2 * (size_t)i, "%02x", object->build_id[i]);
	append(&writer->mappings, mapping);
	mapping->id = writer->mappings.n;
	if (object->low < object->high) {
		mapping->start = base + object->low;
		mapping->limit = base + object->high;
		mapping->offset = object->offset;
	}
	mapping->filename = string_index(writer, object->shown);
	mapping->build_id = string_index(writer, build_id);
	mapping->has_functions = mapping->has_filenames = 1;
	mapping->has_lines = mapping->has_inlines = 1;
}

static void add_lines(struct writer *writer, PprofLocation *location,
		      struct object *object, uint64_t address)
{
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, address, frames), i;

	location->line = get(writer, n * sizeof(*location->line));
	location->n_line = n;
	for (i = 0; i < n; i++) {
		PprofLine *line = new_message(writer, PprofLine, pprof_line__init);

		line->function = function_id(writer, &frames[i]);
		line->line = frames[i].line.number;
		location->line[i] = line;
	}
}

static uint64_t add_location(struct writer *writer, struct profile *profile,
			     const struct place *place)
{
	PprofLocation *location = new_message(writer, PprofLocation, pprof_location__init);

	append(&writer->locations, location);
	location->id = writer->locations.n;
	location->mapping = place->object + 1;
	location->address = writer->bases[place->object] + place->address;
	add_lines(writer, location, &profile->objects[place->object],
		  place->address);
	return location->id;
}

static void add_sample(struct writer *writer, const struct profile *profile,
		       const struct place *place, uint64_t location)
{
	PprofSample *sample = new_message(writer, PprofSample, pprof_sample__init);
	PprofLabel *command = new_message(writer, PprofLabel, pprof_label__init);
	PprofLabel *pid = new_message(writer, PprofLabel, pprof_label__init);

	sample->n_location = 1;
	sample->location = get(writer, sizeof(*sample->location));
	sample->location[0] = location;
	sample->n_value = 2;
	sample->value = get(writer, 2 * sizeof(*sample->value));
	sample->value[0] = (int64_t)place->samples;
	sample->value[1] = (int64_t)place->ns;
	command->key = string_index(writer, "command");
	command->text = string_index(writer, profile_command(profile, place));
	pid->key = string_index(writer, "pid");
	pid->num = profile->processes[place->process].pid;
	sample->n_label = 2;
	sample->label = get(writer, 2 * sizeof(*sample->label));
	sample->label[0] = command;
	sample->label[1] = pid;
	append(&writer->samples, sample);
}

/* The same address in another process is the same location. */
static void add_places(struct writer *writer, struct profile *profile)
{
	uint64_t location = 0;
	size_t i;

	for (i = 0; i < profile->nplaces; i++) {
		const struct place *place = &profile->places[i];

		if (!i || place[-1].object != place->object ||
		    place[-1].address != place->address)
			location = add_location(writer, profile, place);
		add_sample(writer, profile, place, location);
	}
}

static PprofUnit *unit(struct writer *writer, const char *type, const char *name)
{
	PprofUnit *message = new_message(writer, PprofUnit, pprof_unit__init);

	message->type = string_index(writer, type);
	message->unit = string_index(writer, name);
	return message;
}

static void make(struct writer *writer, struct profile *profile)
{
	PprofProfile *out = &writer->profile;
	size_t i;

	pprof_profile__init(out);
	string_index(writer, "");
	out->n_sample_type = 2;
	out->sample_type = get(writer, 2 * sizeof(*out->sample_type));
	out->sample_type[0] = unit(writer, "samples", "count");
	out->sample_type[1] = unit(writer, "cpu", "nanoseconds");
	out->period_type = unit(writer, "cpu", "nanoseconds");
	out->period = (int64_t)profile->period_ns;
	out->time_ns = (int64_t)(profile->nprocesses ? profile_first(profile)->started_ns : 0);
	out->duration_ns = (int64_t)profile->ns;
	for (i = 0; i < profile->nobjects; i++)
		add_mapping(writer, &profile->objects[i], writer->bases[i]);
	add_places(writer, profile);
#define set(field, list) (out->n_##field = (list).n,			\
			  out->field = (void *)(list).items)
	set(sample, writer->samples);
	set(mapping, writer->mappings);
	set(location, writer->locations);
	set(function, writer->functions);
	set(string_table, writer->strings);
#undef set
}

static void ignore(void *node)
{
	(void)node;
}

static void release(struct writer *writer)
{
	struct list *lists[] = {
		&writer->samples, &writer->mappings, &writer->locations,
		&writer->functions, &writer->strings, &writer->owned,
	};
	size_t i;

	tdestroy(writer->string_index, ignore);
	tdestroy(writer->function_index, ignore);
	for (i = 0; i < writer->owned.n; i++)
		free(writer->owned.items[i]);
	for (i = 0; i < length_of(lists); i++)
		free(lists[i]->items);
	free(writer->bases);
}

bool report_pprof(const struct report *report, FILE *out)
{
	struct writer writer = { .bases = address_space_bases(report->profile) };
	uint8_t *bytes;
	size_t size;
	bool done;

	make(&writer, report->profile);
	size = pprof_profile__get_packed_size(&writer.profile);
	bytes = allocate(size);
	pprof_profile__pack(&writer.profile, bytes);
	done = gzip_write(out, bytes, size);
	if (!done)
		warn("cannot compress the profile");
	free(bytes);
	release(&writer);
	return done;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/pprof_writer.h"
#include "common/clean_text.h"
#include "common/compare.h"
#include "common/memory.h"
#include "object/frames.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

void *pprof_writer_append(struct pprof_list *list, void *item)
{
	ensure(list->items, list->n, list->room);
	return list->items[list->n++] = item;
}

static void *own(struct pprof_writer *writer, void *memory)
{
	return pprof_writer_append(&writer->owned, memory);
}

void *pprof_writer_get(struct pprof_writer *writer, size_t size)
{
	return own(writer, allocate(size));
}

struct string {
	const char	*text;
	int64_t		index;
};

static int compare_strings(const void *a, const void *b)
{
	return strcmp(((const struct string *)a)->text,
		      ((const struct string *)b)->text);
}

int64_t pprof_writer_string(struct pprof_writer *writer, const char *text)
{
	struct string *string = pprof_writer_get(writer, sizeof(*string)), **found;

	string->text = text;
	found = tsearch(string, &writer->string_index, compare_strings);
	if (!found)
		out_of_memory();
	if (*found != string)
		return (*found)->index;
	string->index = (int64_t)writer->strings.n;
	pprof_writer_append(&writer->strings, (void *)(uintptr_t)text);
	return string->index;
}

static int compare_functions(const void *a, const void *b)
{
	const PprofFunction *x = a, *y = b;

	return compare_numbers(x->name, y->name) ?:
	       compare_numbers(x->filename, y->filename);
}

static uint64_t function_id(struct pprof_writer *writer, const struct frame *frame)
{
	PprofFunction *function = pprof_writer_message(writer, PprofFunction,
						       pprof_function__init);
	PprofFunction **found;
	const char *file = "";

	if (frame->line.file)
		file = own(writer, clean_text(frame->line.file));
	function->name = pprof_writer_string(writer, frame->name);
	function->system_name = function->name;
	function->filename = pprof_writer_string(writer, file);
	found = tsearch(function, &writer->function_index, compare_functions);
	if (!found)
		out_of_memory();
	if (*found != function)
		return (*found)->id;
	pprof_writer_append(&writer->functions, function);
	return function->id = writer->functions.n;
}

void pprof_writer_mapping(struct pprof_writer *writer,
			  const struct object *object, uint64_t base)
{
	PprofMapping *mapping =
		pprof_writer_message(writer, PprofMapping, pprof_mapping__init);
	char *build_id = pprof_writer_get(writer, 2 * PROFILE_BUILD_ID_MAX + 1);
	uint32_t i;

	for (i = 0; i < object->build_id_size; i++)
		sprintf(build_id + 2 * (size_t)i, "%02x", object->build_id[i]);
	pprof_writer_append(&writer->mappings, mapping);
	mapping->id = writer->mappings.n;
	if (object->low < object->high) {
		mapping->start = base + object->low;
		mapping->limit = base + object->high;
		mapping->offset = object->offset;
	}
	mapping->filename = pprof_writer_string(writer, object->shown);
	mapping->build_id = pprof_writer_string(writer, build_id);
	mapping->has_functions = mapping->has_filenames = 1;
	mapping->has_lines = mapping->has_inlines = 1;
}

static void add_lines(struct pprof_writer *writer, PprofLocation *location,
		      struct object *object, uint64_t address)
{
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, address, frames), i;

	location->line = pprof_writer_get(writer, n * sizeof(*location->line));
	location->n_line = n;
	for (i = 0; i < n; i++) {
		PprofLine *line = pprof_writer_message(writer, PprofLine,
						       pprof_line__init);

		line->function = function_id(writer, &frames[i]);
		line->line = frames[i].line.number;
		location->line[i] = line;
	}
}

uint64_t pprof_writer_location(struct pprof_writer *writer,
			       struct profile *profile, uint32_t object,
			       uint64_t address)
{
	PprofLocation *location = pprof_writer_message(writer, PprofLocation,
						       pprof_location__init);

	pprof_writer_append(&writer->locations, location);
	location->id = writer->locations.n;
	location->mapping = writer->first + object + 1;
	location->address = writer->bases[object] + address;
	add_lines(writer, location, &profile->objects[object], address);
	return location->id;
}

static void ignore(void *node)
{
	(void)node;
}

void pprof_writer_release(struct pprof_writer *writer)
{
	struct pprof_list *lists[] = {
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
}

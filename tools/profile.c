// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files to places. Between two events of a file's log the objects in memory
 * are the same: the pcs of each such stretch are counted first, so that only
 * different ones have to be looked up.
 */
#include "profile.h"
#include "pc_table.h"
#include "profile_file.h"
#include "tool.h"

#include <dirent.h>
#include <linux/profil.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* An object's segment in the process's memory. */
struct segment {
	uint64_t	start;
	uint64_t	end;
	uint64_t	bias;
	uint32_t	object;
};

struct loader {
	struct profile		*profile;
	struct profile_file	file;
	const struct profile_record *next;	/* not yet applied */
	struct segment		*segments;
	size_t			n, room;
	struct pc_table		table;
	uint32_t		command;
	int64_t			unknown;	/* object of unknown code, or -1 */
	uint64_t		zeroes;		/* since the last sample */
	uint64_t		missing;
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool same_object(const struct object *object, const char *path,
			const struct profile_object *recorded, uint32_t pid)
{
	uint32_t size = recorded ? recorded->build_id_size : 0;

	return object->pid == pid && object->build_id_size == size &&
	       (!size || !memcmp(object->build_id, recorded->build_id, size)) &&
	       !strcmp(object->path, path);
}

static uint32_t find_object(struct profile *profile, const char *path,
			    const struct profile_object *recorded, uint32_t pid)
{
	struct object *object;
	size_t i;

	for (i = 0; i < profile->nobjects; i++)
		if (same_object(&profile->objects[i], path, recorded, pid))
			return (uint32_t)i;
	ensure(profile->objects, profile->nobjects, profile->objects_room);
	object = &profile->objects[profile->nobjects];
	*object = (struct object){ .path = format_text("%s", path), .pid = pid,
				   .low = UINT64_MAX };
	object->name = last_part(object->path);
	if (recorded) {
		object->build_id_size = recorded->build_id_size;
		memcpy(object->build_id, recorded->build_id,
		       sizeof(object->build_id));
	}
	return (uint32_t)profile->nobjects++;
}

static void widen_range(struct object *object, const struct segment *segment,
			uint64_t offset)
{
	if (segment->start - segment->bias < object->low) {
		object->low = segment->start - segment->bias;
		object->offset = offset;
	}
	if (segment->end - segment->bias > object->high)
		object->high = segment->end - segment->bias;
}

static void remove_segments(struct loader *loader, uint64_t start, uint64_t end)
{
	size_t i = 0;

	while (i < loader->n) {
		struct segment *segment = &loader->segments[i];

		if (segment->start < end && start < segment->end)
			*segment = loader->segments[--loader->n];
		else
			i++;
	}
}

static void add_segment(struct loader *loader, const struct profile_object *found)
{
	struct profile_object recorded = *found;
	struct segment segment = {
		.start = recorded.start, .end = recorded.end,
		.bias = recorded.bias,
	};

	if (recorded.start >= recorded.end || recorded.bias > recorded.start) {
		warn("%s: damaged: an object without addresses",
		     loader->file.path);
		return;
	}
	if (recorded.build_id_size > PROFILE_BUILD_ID_MAX)
		recorded.build_id_size = 0;
	segment.object = find_object(loader->profile, found->path, &recorded, 0);
	widen_range(&loader->profile->objects[segment.object], &segment,
		    recorded.offset);
	/* What was there and not said to be gone, is gone. */
	remove_segments(loader, segment.start, segment.end);
	ensure(loader->segments, loader->n, loader->room);
	loader->segments[loader->n++] = segment;
}

static const struct segment *find_segment(const struct loader *loader, uint64_t pc)
{
	size_t i;

	for (i = 0; i < loader->n; i++)
		if (pc >= loader->segments[i].start && pc < loader->segments[i].end)
			return &loader->segments[i];
	return NULL;
}

static bool covers(const struct profile_object *object, uint64_t pc)
{
	return pc >= object->start && pc < object->end &&
	       object->bias <= object->start;
}

/*
 * What libc loads for itself, and what a caller's RUNPATH finds, is logged
 * later than it is loaded: the next object at this address is the one.
 */
static const struct profile_object *find_later(const struct loader *loader,
					       uint64_t pc)
{
	const struct profile_record *record = loader->next;

	for (; record; record = profile_file_record(&loader->file, record))
		if (record->type == PROFILE_OBJECT &&
		    covers((const void *)(record + 1), pc))
			return (const void *)(record + 1);
	return NULL;
}

static uint32_t unknown_object(struct loader *loader)
{
	if (loader->unknown < 0)
		loader->unknown = find_object(loader->profile, "[unknown]", NULL,
					      loader->file.header.pid);
	return (uint32_t)loader->unknown;
}

static void add_place(struct loader *loader, uint64_t pc, uint64_t count)
{
	const struct segment *segment = find_segment(loader, pc);
	const struct profile_object *later =
		segment ? NULL : find_later(loader, pc);
	struct profile *profile = loader->profile;
	struct place place = {
		.object = segment ? segment->object : later ? 0 : unknown_object(loader),
		.command = loader->command,
		.address = segment ? pc - segment->bias : pc,
		.samples = count,
		.ns = count * loader->file.header.period_ns,
	};

	if (later) {
		add_segment(loader, later);
		add_place(loader, pc, count);
		return;
	}
	ensure(profile->places, profile->nplaces, profile->places_room);
	profile->places[profile->nplaces++] = place;
	profile->objects[place.object].samples += count;
	profile->samples += count;
	profile->ns += place.ns;
}

/* The objects are about to change, or the file is at its end. */
static void flush(struct loader *loader)
{
	size_t i;

	for (i = 0; i < loader->table.size; i++)
		if (loader->table.slots[i].count)
			add_place(loader, loader->table.slots[i].pc,
				  loader->table.slots[i].count);
	pc_table_clear(&loader->table);
}

static void apply_record(struct loader *loader, const struct profile_record *record)
{
	const void *payload = record + 1;
	uint64_t start;

	switch (record->type) {
	case PROFILE_OBJECT:
		add_segment(loader, payload);
		break;
	case PROFILE_GONE:
		memcpy(&start, payload, sizeof(start));
		remove_segments(loader, start, start + 1);
		break;
	case PROFILE_TAKEN:
		loader->profile->taken++;
		break;
	}
}

/* Applies what happened before sample @index; the sample of what comes next. */
static uint64_t apply_records(struct loader *loader, uint64_t index)
{
	while (loader->next && loader->next->sample <= index) {
		flush(loader);
		apply_record(loader, loader->next);
		loader->next = profile_file_record(&loader->file, loader->next);
	}
	return loader->next ? loader->next->sample : UINT64_MAX;
}

static void count_samples(void *context, const uint64_t *pcs, uint64_t n,
			  uint64_t first)
{
	struct loader *loader = context;
	uint64_t change = apply_records(loader, first), i;

	for (i = 0; i < n; i++) {
		if (first + i >= change)
			change = apply_records(loader, first + i);
		if (!pcs[i]) {
			loader->zeroes++;
			continue;
		}
		/* Zeroes that are not the end are samples that got lost. */
		loader->missing += loader->zeroes;
		loader->zeroes = 0;
		pc_table_add(&loader->table, pcs[i], 1);
	}
}

/* "name.pid" or "name.pid.n" is what the library makes of a program's name. */
static char *command_name(const char *path)
{
	char *name = format_text("%s", last_part(path));
	size_t length = strlen(name);
	int numbers;

	for (numbers = 0; numbers < 2; numbers++) {
		size_t end = length;

		while (end && strchr("0123456789", name[end - 1]))
			end--;
		if (end < 2 || end == length || name[end - 1] != '.')
			break;
		length = end - 1;
	}
	name[length] = '\0';
	return name;
}

static uint32_t find_command(struct profile *profile, const char *path)
{
	char *name = command_name(path);
	size_t i;

	for (i = 0; i < profile->ncommands; i++) {
		if (!strcmp(profile->commands[i], name)) {
			free(name);
			return (uint32_t)i;
		}
	}
	ensure(profile->commands, profile->ncommands, profile->commands_room);
	profile->commands[profile->ncommands] = name;
	return (uint32_t)profile->ncommands++;
}

static void add_header(struct profile *profile, const struct profile_header *header)
{
	if (!profile->files++) {
		profile->period_ns = header->period_ns;
		profile->rate = header->rate;
		profile->started_ns = header->started_ns;
	}
	if (header->period_ns != profile->period_ns)
		profile->mixed = true;
	if (header->started_ns < profile->started_ns)
		profile->started_ns = header->started_ns;
	profile->unprofiled += header->unprofiled;
	profile->lost += header->dropped;
	profile->unended += header->state != PROFILE_ENDED;
	profile->faulted += header->stopped == PROFIL_STATE_FAULT;
}

static void add_samples(struct loader *loader)
{
	const struct profile_header *header = &loader->file.header;
	uint64_t before = loader->profile->samples;

	loader->next = profile_file_record(&loader->file, NULL);
	profile_file_samples(&loader->file, count_samples, loader);
	apply_records(loader, UINT64_MAX - 1);
	flush(loader);
	loader->profile->full += loader->profile->samples - before +
		loader->missing >= header->capacity;
	/* What the kernel has not counted as lost itself. */
	if (loader->missing > header->dropped)
		loader->profile->lost += loader->missing - header->dropped;
}

static bool add_file(struct profile *profile, const char *path)
{
	struct loader loader = { .profile = profile, .unknown = -1 };

	if (!profile_file_open(&loader.file, path))
		return false;
	loader.command = find_command(profile, path);
	add_header(profile, &loader.file.header);
	add_samples(&loader);
	pc_table_free(&loader.table);
	free(loader.segments);
	profile_file_close(&loader.file);
	return true;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strncmp(entry->d_name, "perf-", 5);
}

static bool add_directory(struct profile *profile, const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_visible, alphasort), i;
	bool any = false;

	if (n < 0) {
		warn("%s: cannot be read", path);
		return false;
	}
	for (i = 0; i < n; i++) {
		char *name = format_text("%s/%s", path, entries[i]->d_name);

		any |= add_file(profile, name);
		free(name);
		free(entries[i]);
	}
	free(entries);
	if (!n)
		warn("%s: no profile files", path);
	return any;
}

bool profile_add(struct profile *profile, const char *path)
{
	struct stat status;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return add_directory(profile, path);
	return add_file(profile, path);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->command < y->command ? -1 : x->command > y->command;
}

void profile_finish(struct profile *profile)
{
	struct place *places = profile->places;
	size_t i, n = 0;

	if (!profile->nplaces)
		return;
	qsort(places, profile->nplaces, sizeof(*places), compare_places);
	for (i = 1; i < profile->nplaces; i++) {
		if (compare_places(&places[n], &places[i])) {
			places[++n] = places[i];
		} else {
			places[n].samples += places[i].samples;
			places[n].ns += places[i].ns;
		}
	}
	profile->nplaces = n + 1;
}

void profile_free(struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nobjects; i++)
		free(profile->objects[i].path);
	for (i = 0; i < profile->ncommands; i++)
		free(profile->commands[i]);
	free(profile->objects);
	free(profile->commands);
	free(profile->places);
}

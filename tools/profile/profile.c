// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files to places. Between two events of a file's log the objects in memory
 * are the same: the pcs of each such stretch are counted first, so that only
 * different ones have to be looked up.
 */
#include "profile/profile.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/path.h"
#include "profile/later_objects.h"
#include "profile/pc_counts.h"
#include "reader/profile_file.h"

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
	struct segment		*segments;	/* by start, not overlapping */
	size_t			n, room;
	struct pc_counts		table;
	uint32_t		process;
	int64_t			unknown;	/* object of unknown code, or -1 */
	uint64_t		seen;		/* elements, zeroes included */
	uint64_t		zeroes;		/* since the last sample */
	uint64_t		missing;
	struct later_objects		*later;		/* made when it is needed */
	char			*directory;	/* that the file is in */
};

static bool same_text(const char *x, const char *y)
{
	return x && y ? !strcmp(x, y) : x == y;
}

static bool same_object(const struct object *x, const struct object *y)
{
	return x->pid == y->pid && x->build_id_size == y->build_id_size &&
	       !memcmp(x->build_id, y->build_id, x->build_id_size) &&
	       !strcmp(x->path, y->path) &&
	       same_text(x->directory, y->directory);
}

/* Objects are looked up in lists, of those whose paths have the same hash. */
static uint32_t *list_of(struct profile *profile, const char *path)
{
	uint32_t hash = 2166136261;

	while (*path)
		hash = (hash ^ (unsigned char)*path++) * 16777619;
	return &profile->lists[(hash >> 16 ^ hash) % length_of(profile->lists)];
}

/* The object that is like @wanted, whose texts are copied if it is new. */
static uint32_t find_object(struct profile *profile, const struct object *wanted)
{
	uint32_t *list = list_of(profile, wanted->path), i;
	struct object *object;

	for (i = *list; i; i = profile->objects[i - 1].next)
		if (same_object(&profile->objects[i - 1], wanted))
			return i - 1;
	ensure(profile->objects, profile->nobjects, profile->objects_room);
	object = &profile->objects[profile->nobjects++];
	*object = *wanted;
	object->low = UINT64_MAX;
	object->path = format_text("%s", wanted->path);
	object->shown = clean_text(wanted->path);
	object->name = path_name(object->shown);
	if (wanted->directory)
		object->directory = format_text("%s", wanted->directory);
	object->next = *list;
	*list = (uint32_t)profile->nobjects;
	return *list - 1;
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

/* Index of the first segment that ends after @address. */
static size_t first_after(const struct loader *loader, uint64_t address)
{
	size_t low = 0, high = loader->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (loader->segments[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Puts @segment, or nothing, in the place of @n others. */
static void splice(struct loader *loader, size_t at, size_t n,
		   const struct segment *segment)
{
	size_t rest = loader->n - at - n;

	ensure(loader->segments, loader->n, loader->room);
	memmove(&loader->segments[at + (segment ? 1 : 0)],
		&loader->segments[at + n], rest * sizeof(*loader->segments));
	if (segment)
		loader->segments[at] = *segment;
	loader->n = at + (segment ? 1 : 0) + rest;
}

/* What is between the two addresses gives way to @segment, or to nothing. */
static void replace(struct loader *loader, uint64_t start, uint64_t end,
		    const struct segment *segment)
{
	size_t at = first_after(loader, start), n = 0;

	while (at + n < loader->n && loader->segments[at + n].start < end)
		n++;
	splice(loader, at, n, segment);
}

static void add_segment(struct loader *loader, const struct profile_object *found)
{
	struct segment segment = {
		.start = found->start, .end = found->end, .bias = found->bias,
	};
	struct object object = {
		.path = (char *)(uintptr_t)found->path,
		.owner = loader->file.owner,
	};

	if (found->start >= found->end || found->bias > found->start) {
		warn("%s: damaged: an object without addresses",
		     loader->file.path);
		return;
	}
	if (found->build_id_size <= PROFILE_BUILD_ID_MAX)
		object.build_id_size = found->build_id_size;
	memcpy(object.build_id, found->build_id, object.build_id_size);
	segment.object = find_object(loader->profile, &object);
	widen_range(&loader->profile->objects[segment.object], &segment,
		    found->offset);
	/* What was there and not said to be gone, is gone. */
	replace(loader, segment.start, segment.end, &segment);
}

static const struct segment *find_segment(const struct loader *loader, uint64_t pc)
{
	size_t at = first_after(loader, pc);

	return at < loader->n && loader->segments[at].start <= pc ?
		&loader->segments[at] : NULL;
}

/*
 * What libc loads for itself, and what a caller's RUNPATH finds, is logged
 * later than it is loaded: the next object at this address is the one.
 */
static const struct profile_object *find_later(struct loader *loader, uint64_t pc)
{
	const struct profile_record *record;

	if (!loader->next)
		return NULL;
	if (!loader->later)
		loader->later = later_make(&loader->file);
	record = later_find(loader->later, pc, loader->next);
	return record ? (const void *)(record + 1) : NULL;
}

static uint32_t unknown_object(struct loader *loader)
{
	static char name[] = "[unknown]";
	const struct object object = {
		.path = name, .pid = loader->file.header.pid,
		.owner = loader->file.owner, .directory = loader->directory,
	};

	if (loader->unknown < 0)
		loader->unknown = find_object(loader->profile, &object);
	return (uint32_t)loader->unknown;
}

static void count_place(struct profile *profile, const struct place *place)
{
	struct process *process = &profile->processes[place->process];

	profile->objects[place->object].samples += place->samples;
	process->samples += place->samples;
	process->ns += place->ns;
	profile->samples += place->samples;
	profile->ns += place->ns;
}

static void add_place(struct loader *loader, uint64_t pc, uint64_t count)
{
	const struct segment *segment = find_segment(loader, pc);
	const struct profile_object *later =
		segment ? NULL : find_later(loader, pc);
	struct profile *profile = loader->profile;
	struct place place = {
		.object = segment ? segment->object : later ? 0 : unknown_object(loader),
		.process = loader->process,
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
	count_place(profile, &place);
}

/* The objects are about to change, or the file is at its end. */
static void flush(struct loader *loader)
{
	size_t i;

	if (!loader->table.used)
		return;
	for (i = 0; i < loader->table.size; i++)
		if (loader->table.slots[i].count)
			add_place(loader, loader->table.slots[i].pc,
				  loader->table.slots[i].count);
	pc_counts_clear(&loader->table);
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
		replace(loader, start, start + 1, NULL);
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

	/* What is no block of the file was never written. */
	if (first > loader->seen)
		loader->zeroes += first - loader->seen;
	loader->seen = first + n;
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
		pc_counts_add(&loader->table, pcs[i], 1);
	}
}

/* "name.pid" or "name.pid.n" is what the library makes of a program's name. */
static char *command_name(const char *path)
{
	char *name = format_text("%s", path_name(path));
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

/* Takes @name over. */
static uint32_t find_command(struct profile *profile, char *name)
{
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

static const struct profile_record *find_record(const struct profile_file *file,
						uint32_t type)
{
	const struct profile_record *record = NULL;

	while ((record = profile_file_record(file, record)))
		if (record->type == type)
			break;
	return record;
}

/* The text of the first record of a type, for people; NULL: there is none. */
static char *logged_text(const struct profile_file *file, uint32_t type)
{
	const struct profile_record *record = find_record(file, type);

	return record ? clean_text((const char *)(record + 1)) : NULL;
}

/* Strings that each end with a zero, as one line. Zeroes fill the record up. */
static char *command_line(const struct profile_file *file)
{
	const struct profile_record *record =
		find_record(file, PROFILE_ARGUMENTS);
	char *line, *clean;
	size_t n, i;

	if (!record)
		return NULL;
	n = record->size - sizeof(*record);
	line = allocate(n + 1);
	memcpy(line, record + 1, n);
	while (n && !line[n - 1])
		n--;
	for (i = 0; i < n; i++)
		if (!line[i])
			line[i] = ' ';
	clean = clean_text(line);
	free(line);
	return clean;
}

static char *process_name(const struct profile_file *file)
{
	char *name = logged_text(file, PROFILE_NAME), *guess;

	if (name)
		return name;
	guess = command_name(file->path);
	name = clean_text(guess);
	free(guess);
	return name;
}

static void add_header(struct profile *profile, const struct profile_header *header)
{
	if (!profile->nprocesses) {
		profile->period_ns = header->period_ns;
		profile->rate = header->rate;
	}
	if (header->period_ns != profile->period_ns)
		profile->mixed = true;
	profile->unprofiled += header->unprofiled;
	profile->lost += header->dropped;
	profile->faulted += header->stopped == PROFIL_STATE_FAULT;
}

static uint32_t add_process(struct profile *profile, const struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	struct process process = {
		.command = find_command(profile, process_name(file)),
		.pid = header->pid,
		.parent = header->parent,
		.started_ns = header->started_ns,
		.arguments = command_line(file),
		.host = logged_text(file, PROFILE_HOST),
	};

	if (header->state == PROFILE_ENDED && header->ended_ns > header->started_ns)
		process.ended_ns = header->ended_ns;
	ensure(profile->processes, profile->nprocesses, profile->processes_room);
	profile->processes[profile->nprocesses] = process;
	return (uint32_t)profile->nprocesses++;
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
}

/*
 * While a process runs, what is missing may still come. Of what is missing, the
 * kernel has counted some itself.
 */
static void finish_file(struct loader *loader)
{
	struct profile *profile = loader->profile;
	const struct profile_header *header = &loader->file.header;

	if (profile_file_is_live(&loader->file)) {
		profile->running++;
		return;
	}
	if (loader->missing > header->dropped)
		profile->lost += loader->missing - header->dropped;
	profile_file_cut(&loader->file, profile_file_end(&loader->file));
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? format_text("%.*s", (int)(slash - path) + 1, path) :
		       format_text(".");
}

static bool add_file(struct profile *profile, const char *path)
{
	struct loader loader = { .profile = profile, .unknown = -1 };

	if (!profile_file_open(&loader.file, path))
		return false;
	loader.directory = directory_of(path);
	add_header(profile, &loader.file.header);
	loader.process = add_process(profile, &loader.file);
	add_samples(&loader);
	finish_file(&loader);
	pc_counts_free(&loader.table);
	later_free(loader.later);
	free(loader.segments);
	free(loader.directory);
	profile_file_close(&loader.file);
	return true;
}

static int is_visible(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');
	bool map = dot && !strcmp(dot, ".map") &&
		   !strncmp(entry->d_name, "perf-", 5);

	return entry->d_name[0] != '.' && !map;
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
	return x->process < y->process ? -1 : x->process > y->process;
}

void profile_finish(struct profile *profile)
{
	struct place *places = profile->places;
	size_t i, n = 0;

	profile->all_samples = profile->samples;
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

void profile_select(struct profile *profile, profile_wanted *wanted,
		    const void *context)
{
	size_t i, n = 0;

	for (i = 0; i < profile->nplaces; i++)
		if (wanted(profile, &profile->places[i], context))
			profile->places[n++] = profile->places[i];
	profile->nplaces = n;
	for (i = 0; i < profile->nobjects; i++)
		profile->objects[i].samples = 0;
	for (i = 0; i < profile->nprocesses; i++)
		profile->processes[i].samples = profile->processes[i].ns = 0;
	profile->samples = profile->ns = 0;
	for (i = 0; i < n; i++)
		count_place(profile, &profile->places[i]);
}

const char *profile_command(const struct profile *profile,
			    const struct place *place)
{
	return profile->commands[profile->processes[place->process].command];
}

const struct process *profile_first(const struct profile *profile)
{
	const struct process *first = profile->processes;
	size_t i;

	for (i = 1; i < profile->nprocesses; i++)
		if (profile->processes[i].started_ns < first->started_ns)
			first = &profile->processes[i];
	return first;
}

/* What the first process has started mostly ends before it does. */
uint64_t profile_wall(const struct profile *profile)
{
	const struct process *first = profile_first(profile);
	uint64_t end = 0;
	size_t i;

	if (!first || !first->ended_ns)
		return 0;
	for (i = 0; i < profile->nprocesses; i++)
		if (profile->processes[i].ended_ns > end)
			end = profile->processes[i].ended_ns;
	return end - first->started_ns;
}

uint64_t profile_rate(const struct profile *profile)
{
	if (!profile->period_ns)
		return 0;
	return (1000000000 + profile->period_ns / 2) / profile->period_ns;
}

void profile_free(struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nobjects; i++) {
		free(profile->objects[i].path);
		free(profile->objects[i].shown);
		free(profile->objects[i].directory);
	}
	for (i = 0; i < profile->ncommands; i++)
		free(profile->commands[i]);
	for (i = 0; i < profile->nprocesses; i++) {
		free(profile->processes[i].arguments);
		free(profile->processes[i].host);
	}
	free(profile->objects);
	free(profile->commands);
	free(profile->processes);
	free(profile->places);
}

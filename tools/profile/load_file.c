// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files to places. Between two events of a file's log the objects in memory
 * are the same: the pcs of each such stretch are counted first, so that only
 * different ones have to be looked up.
 */
#include "profile/load_file.h"
#include "common/memory.h"
#include "common/message.h"
#include "profile/later_objects.h"
#include "profile/pc_counts.h"
#include "profile/places.h"
#include "profile/process_names.h"
#include "profile/segments.h"
#include "reader/profile_file.h"
#include "reader/profile_samples.h"

#include <linux/profil.h>
#include <stdlib.h>
#include <string.h>

struct loader {
	struct profile		*profile;
	struct profile_file	file;
	const struct profile_record *next;	/* not yet applied */
	struct segments		segments;
	struct pc_counts		table;
	uint32_t		process;
	int64_t			unknown;	/* object of unknown code, or -1 */
	uint64_t		seen;		/* elements, zeroes included */
	uint64_t		zeroes;		/* since the last sample */
	uint64_t		missing;
	struct later_objects		*later;		/* made when it is needed */
	char			*directory;	/* that the file is in */
};

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
	segment.object = profile_find_object(loader->profile, &object);
	widen_range(&loader->profile->objects[segment.object], &segment,
		    found->offset);
	/* What was there and not said to be gone, is gone. */
	segments_replace(&loader->segments, segment.start, segment.end, &segment);
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
		loader->unknown = profile_find_object(loader->profile, &object);
	return (uint32_t)loader->unknown;
}

static void add_place(struct loader *loader, uint64_t pc, uint64_t count)
{
	const struct segment *segment = segments_find(&loader->segments, pc);
	const struct profile_object *later =
		segment ? NULL : find_later(loader, pc);
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
	profile_add_place(loader->profile, &place);
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
		segments_replace(&loader->segments, start, start + 1, NULL);
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
		.command = profile_find_command(profile, process_name(file)),
		.pid = header->pid,
		.parent = header->parent,
		.started_ns = header->started_ns,
		.period_ns = header->period_ns,
		.arguments = process_command_line(file),
		.host = process_host(file),
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
	profile_samples_visit(&loader->file, count_samples, loader);
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
	profile_samples_cut(&loader->file, profile_samples_end(&loader->file));
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? format_text("%.*s", (int)(slash - path) + 1, path) :
		       format_text(".");
}

bool profile_load_file(struct profile *profile, const char *path)
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
	segments_free(&loader.segments);
	free(loader.directory);
	profile_file_close(&loader.file);
	return true;
}

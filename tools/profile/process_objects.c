// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/process_objects.h"
#include "common/memory.h"
#include "common/message.h"

#include <stdlib.h>
#include <string.h>

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

static void add_segment(struct process_objects *objects,
			const struct profile_object *found)
{
	struct segment segment = {
		.start = found->start, .end = found->end, .bias = found->bias,
	};
	struct object object = {
		.path = (char *)(uintptr_t)found->path,
		.process = objects->file->header.pid, .owner = objects->file->owner,
	};

	if (found->start >= found->end || found->bias > found->start) {
		warn("%s: damaged: an object has no addresses",
		     objects->file->path);
		return;
	}
	if (found->build_id_size <= PROFILE_BUILD_ID_MAX)
		object.build_id_size = found->build_id_size;
	memcpy(object.build_id, found->build_id, object.build_id_size);
	object.kept = kept_names_find(objects->names, object.path, object.build_id,
				      object.build_id_size);
	segment.object = profile_find_object(objects->profile, &object);
	widen_range(&objects->profile->objects[segment.object], &segment,
		    found->offset);
	/* A new object replaces older ones there, even if the log did not remove them. */
	segments_replace(&objects->segments, segment.start, segment.end, &segment);
	objects->changes++;
}

/*
 * Libraries that libc loads itself, or finds by a caller's RUNPATH, are logged after
 * their first samples: then the next object at this address is the right one.
 */
static const struct profile_object *find_later(struct process_objects *objects,
					       uint64_t pc)
{
	const struct profile_record *record;

	if (!objects->next)
		return NULL;
	if (!objects->later)
		objects->later = later_objects_make(objects->file);
	record = later_objects_find(objects->later, pc, objects->next);
	return record ? (const void *)(record + 1) : NULL;
}

static uint32_t unknown_object(struct process_objects *objects)
{
	static char name[] = "[unknown]";
	const struct object object = {
		.path = name, .pid = objects->file->header.pid,
		.owner = objects->file->owner, .directory = objects->directory,
		.finished = profile_file_is_cut(objects->file) &&
			    !objects->file->header.unattended,
	};

	if (objects->unknown >= 0)
		return (uint32_t)objects->unknown;
	objects->unknown = profile_find_object(objects->profile, &object);
	/* A process that has executed another program has two files. */
	objects->profile->objects[objects->unknown].finished &= object.finished;
	return (uint32_t)objects->unknown;
}

void process_objects_find(struct process_objects *objects, uint64_t pc,
			  struct place *place)
{
	const struct segment *segment = segments_find(&objects->segments, pc);
	const struct profile_object *later =
		segment ? NULL : find_later(objects, pc);

	if (later) {
		add_segment(objects, later);
		segment = segments_find(&objects->segments, pc);
	}
	place->object = segment ? segment->object : unknown_object(objects);
	place->address = segment ? pc - segment->bias : pc;
}

static void remove_segment(struct process_objects *objects, const void *payload)
{
	uint64_t start;

	memcpy(&start, payload, sizeof(start));
	segments_replace(&objects->segments, start, start + 1, NULL);
	objects->changes++;
}

void process_objects_apply(struct process_objects *objects)
{
	const struct profile_record *record = objects->next;

	switch (record->type) {
	case PROFILE_OBJECT:
		add_segment(objects, (const void *)(record + 1));
		break;
	case PROFILE_GONE:
		remove_segment(objects, record + 1);
		break;
	case PROFILE_TAKEN:
		objects->profile->taken++;
		break;
	}
	objects->applied++;
	objects->next = profile_file_record(objects->file, record);
}

void process_objects_reload(struct process_objects *objects)
{
	uint64_t i;

	later_objects_free(objects->later);
	objects->later = NULL;
	objects->next = profile_file_record(objects->file, NULL);
	for (i = 0; i < objects->applied && objects->next; i++)
		objects->next = profile_file_record(objects->file, objects->next);
}

uint64_t process_objects_next(const struct process_objects *objects)
{
	return objects->next ? objects->next->sample : UINT64_MAX;
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? format_text("%.*s", (int)(slash - path) + 1, path) :
		       format_text("./");
}

void process_objects_begin(struct process_objects *objects, struct profile *profile,
			   const struct profile_file *file)
{
	*objects = (struct process_objects){
		.profile = profile, .file = file, .unknown = -1,
		.directory = directory_of(file->path),
		.next = profile_file_record(file, NULL),
	};
	objects->names = profile_names(profile, objects->directory);
}

void process_objects_end(struct process_objects *objects)
{
	later_objects_free(objects->later);
	segments_free(&objects->segments);
	free(objects->directory);
}

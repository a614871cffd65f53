// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/profile.h"
#include "common/clean_text.h"
#include "common/compare.h"
#include "common/memory.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

static bool same_text(const char *x, const char *y)
{
	return x && y ? !strcmp(x, y) : x == y;
}

/* Without a build ID, another file is another object. */
static bool same_kept(const struct object *x, const struct object *y)
{
	return x->build_id_size || !x->kept || !y->kept ||
	       (x->kept->inode == y->kept->inode && x->kept->size == y->kept->size &&
		x->kept->modified_ns == y->kept->modified_ns);
}

static bool same_object(const struct object *x, const struct object *y)
{
	return x->pid == y->pid && x->kernel == y->kernel &&
	       x->build_id_size == y->build_id_size &&
	       !memcmp(x->build_id, y->build_id, x->build_id_size) &&
	       !strcmp(x->path, y->path) && same_kept(x, y) &&
	       same_text(x->directory, y->directory);
}

struct wanted {
	const struct object	*objects;
	const struct object	*object;
};

static bool is_same(const void *context, uint32_t i)
{
	const struct wanted *wanted = context;

	return same_object(&wanted->objects[i], wanted->object);
}

static void add_object(struct profile *profile, const struct object *wanted)
{
	struct object *object;

	ensure(profile->objects, profile->nobjects, profile->objects_room);
	object = &profile->objects[profile->nobjects++];
	*object = *wanted;
	object->low = UINT64_MAX;
	object->kept = NULL;
	object->path = copy_text(wanted->path);
	object->shown = clean_text(wanted->path);
	object->name = path_name(object->shown);
	if (wanted->directory)
		object->directory = copy_text(wanted->directory);
}

/* An object has the names of all directories that it is in. */
static void add_kept(struct object *object, struct kept_object *kept)
{
	struct kept_object **at = &object->kept;

	while (*at && *at != kept)
		at = &(*at)->next;
	*at = kept;
}

/* A log may have one path with any number of build IDs. */
static uint64_t hash_object(const struct object *object)
{
	uint64_t hash = hash_set_mix(hash_set_mix_text(0, object->path), object->pid);
	uint32_t i;

	for (i = 0; i < object->build_id_size; i++)
		hash = hash_set_mix(hash, object->build_id[i]);
	return hash;
}

uint32_t profile_find_object(struct profile *profile,
			     const struct object *object)
{
	const struct wanted wanted = { profile->objects, object };
	uint32_t *slot;

	hash_set_reserve(&profile->object_set, profile->nobjects);
	slot = hash_set_find(&profile->object_set, hash_object(object), is_same, &wanted);
	if (!*slot) {
		add_object(profile, object);
		*slot = (uint32_t)profile->nobjects;
	}
	/* Two paths can be one when they are cleaned. A list has room for one next. */
	if (object->kept && !object->kept->user)
		object->kept->user = *slot;
	if (object->kept && object->kept->user == *slot)
		add_kept(&profile->objects[*slot - 1], object->kept);
	return *slot - 1;
}

const struct kept_names *profile_names(struct profile *profile, const char *path)
{
	struct directory *directory;
	size_t i;

	for (i = 0; i < profile->ndirectories; i++)
		if (!strcmp(profile->directories[i].path, path))
			return profile->directories[i].names;
	ensure(profile->directories, profile->ndirectories, profile->directories_room);
	directory = &profile->directories[profile->ndirectories++];
	directory->path = copy_text(path);
	directory->names = kept_names_read(path);
	return directory->names;
}

uint32_t profile_find_command(struct profile *profile, char *name)
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

static int compare_starts(const void *a, const void *b)
{
	const struct process *x = *(const struct process *const *)a;
	const struct process *y = *(const struct process *const *)b;

	return compare_numbers(x->started_ns, y->started_ns);
}

/*
 * Whether a process may have run on after @end. It has no end of its own if it was killed, or
 * has executed another program. Without stacks, its CPU time decides: that of several threads
 * may be too long, and then the wall time counts as unknown.
 */
static bool is_outlived(const struct profile *profile, uint64_t end)
{
	size_t i;

	for (i = 0; i < profile->nprocesses; i++) {
		const struct process *process = &profile->processes[i];

		if (!process->ended_ns &&
		    (process->seen_ns ?: process->started_ns + process->ns) > end)
			return true;
	}
	return profile->running;
}

uint64_t profile_wall(const struct profile *profile)
{
	size_t n = profile->nprocesses, i;
	const struct process **sorted = allocate(n * sizeof(*sorted));
	uint64_t wall = 0, end;

	for (i = 0; i < n; i++)
		sorted[i] = &profile->processes[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), compare_starts);
	end = n ? sorted[0]->ended_ns : 0;
	for (i = 0; i < n && sorted[i]->started_ns <= end; i++)
		if (sorted[i]->ended_ns > end)
			end = sorted[i]->ended_ns;
	if (n && i == n && profile->runs == 1 && !is_outlived(profile, end))
		wall = end - sorted[0]->started_ns;
	free(sorted);
	return wall;
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
		free(profile->processes[i].phases);
	}
	for (i = 0; i < profile->nphase_names; i++)
		free(profile->phase_names[i]);
	free(profile->phase_names);
	hash_set_free(&profile->phase_set);
	for (i = 0; i < profile->ndirectories; i++) {
		free(profile->directories[i].path);
		kept_names_free(profile->directories[i].names);
	}
	free(profile->directories);
	free(profile->objects);
	hash_set_free(&profile->object_set);
	free(profile->commands);
	free(profile->processes);
	free(profile->places);
	free(profile->waits);
	stacks_free(&profile->stacks);
}

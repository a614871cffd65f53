// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files to places. Between two events of a file's log the objects in memory
 * are the same: the pcs of each such stretch are counted first, so that only
 * different ones have to be looked up.
 */
#include "profile/load_file.h"
#include "common/memory.h"
#include "profile/stack_loader.h"
#include "profile/pc_counts.h"
#include "profile/places.h"
#include "profile/process_names.h"
#include "profile/process_objects.h"
#include "reader/profile_file.h"
#include "reader/profile_cut.h"
#include "reader/profile_samples.h"

#include <linux/profil.h>

struct loader {
	struct profile_file	file;
	struct process_objects	objects;
	struct stack_loader	stacks;
	bool			has_stacks;
	struct pc_counts	table;		/* of a file without stacks */
	uint32_t		process;
	uint64_t		samples;
	uint64_t		seen;		/* elements, zeroes included */
	uint64_t		zeroes;		/* since the last sample */
	uint64_t		missing;
};

static void add_place(struct loader *loader, const struct pc_count *count)
{
	struct place place = {
		.process = loader->process, .samples = count->count,
		.ns = count->count * loader->file.header.period_ns,
	};

	process_objects_find(&loader->objects, count->pc, &place);
	places_add(loader->objects.profile, &place);
}

/* The objects are about to change, or the file is at its end. */
static void flush(struct loader *loader)
{
	size_t i;

	for (i = 0; i < loader->table.n; i++)
		add_place(loader, &loader->table.list[i]);
	pc_counts_clear(&loader->table);
}

/* The sample of what comes next; UINT64_MAX: nothing does. */
static uint64_t next_change(const struct loader *loader)
{
	uint64_t object = process_objects_next(&loader->objects);
	uint64_t stack = loader->has_stacks ? stack_loader_next(&loader->stacks) :
					      UINT64_MAX;

	return object < stack ? object : stack;
}

/* Applies what happened before sample @index; the sample of what comes next. */
static uint64_t apply_changes(struct loader *loader, uint64_t index)
{
	uint64_t change;

	while ((change = next_change(loader)) <= index && change < UINT64_MAX) {
		if (change != process_objects_next(&loader->objects)) {
			stack_loader_apply(&loader->stacks);
			continue;
		}
		flush(loader);
		process_objects_apply(&loader->objects);
	}
	return change;
}

static void take_sample(struct loader *loader, uint64_t index, uint64_t pc)
{
	loader->samples++;
	if (loader->has_stacks)
		stack_loader_sample(&loader->stacks, index, pc);
	else
		pc_counts_add(&loader->table, pc, 1);
}

static bool is_lost(struct loader *loader, uint64_t index)
{
	return !loader->has_stacks || !stack_loader_lost(&loader->stacks, index);
}

static void count_samples(void *context, const uint64_t *pcs, uint64_t n,
			  uint64_t first)
{
	struct loader *loader = context;
	uint64_t change = apply_changes(loader, first), i;

	/* What is no block of the file was never written. */
	if (first > loader->seen)
		loader->zeroes += first - loader->seen;
	loader->seen = first + n;
	for (i = 0; i < n; i++) {
		if (first + i >= change)
			change = apply_changes(loader, first + i);
		if (!pcs[i]) {
			loader->zeroes += is_lost(loader, first + i);
			continue;
		}
		/* Zeroes that are not the end are samples that got lost. */
		loader->missing += loader->zeroes;
		loader->zeroes = 0;
		take_sample(loader, first + i, pcs[i]);
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
		.command = profile_find_command(profile,
						process_names_program(file)),
		.pid = header->pid,
		.parent = header->parent,
		.started_ns = header->started_ns,
		.period_ns = header->period_ns,
		.arguments = process_names_command_line(file),
		.host = process_names_host(file),
	};

	if (header->state == PROFILE_ENDED && header->ended_ns > header->started_ns)
		process.ended_ns = header->ended_ns;
	ensure(profile->processes, profile->nprocesses, profile->processes_room);
	profile->processes[profile->nprocesses] = process;
	return (uint32_t)profile->nprocesses++;
}

/* What the array has lost, and a record has, is not lost. */
static void end_stacks(struct loader *loader)
{
	uint64_t left = stack_loader_end(&loader->stacks);

	loader->missing -= left < loader->missing ? left : loader->missing;
}

/* What a file has room for says nothing once its stacks have been moved there. */
static bool is_full(const struct loader *loader)
{
	const struct profile_header *header = &loader->file.header;

	return header->stacks_offset ? header->stopped == PROFIL_STATE_FULL :
		loader->samples + loader->missing >= header->capacity;
}

static void add_samples(struct loader *loader)
{
	struct profile *profile = loader->objects.profile;

	process_objects_begin(&loader->objects, profile, &loader->file);
	loader->has_stacks = stack_loader_begin(&loader->stacks, &loader->objects,
						loader->process);
	profile_samples_visit(&loader->file, count_samples, loader);
	apply_changes(loader, UINT64_MAX);
	flush(loader);
	profile->full += is_full(loader);
	if (loader->has_stacks)
		end_stacks(loader);
	process_objects_end(&loader->objects);
	pc_counts_free(&loader->table);
}

/*
 * While a process runs, what is missing may still come. Of what is missing, the
 * kernel has counted some itself.
 */
static void finish_file(struct loader *loader, struct profile *profile)
{
	const struct profile_header *header = &loader->file.header;

	if (profile_file_is_live(&loader->file)) {
		profile->running++;
		return;
	}
	if (loader->missing > header->dropped)
		profile->lost += loader->missing - header->dropped;
	profile_cut(&loader->file, profile_samples_end(&loader->file));
}

bool load_file(struct profile *profile, const char *path)
{
	struct loader loader = { .objects.profile = profile };

	if (!profile_file_open(&loader.file, path))
		return false;
	add_header(profile, &loader.file.header);
	loader.process = add_process(profile, &loader.file);
	add_samples(&loader);
	finish_file(&loader, profile);
	profile_file_close(&loader.file);
	return true;
}

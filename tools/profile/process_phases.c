// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/process_phases.h"
#include "common/clean_text.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* The wanted name is stored behind the others. */
static bool is_same_name(const void *context, uint32_t i)
{
	const struct profile *profile = context;

	return !strcmp(profile->phase_names[i], profile->phase_names[profile->nphase_names]);
}

/* Takes @name. */
static uint32_t find_name(struct profile *profile, char *name)
{
	uint32_t *slot;

	hash_set_reserve(&profile->phase_set, profile->nphase_names);
	ensure(profile->phase_names, profile->nphase_names, profile->phase_names_room);
	profile->phase_names[profile->nphase_names] = name;
	slot = hash_set_find(&profile->phase_set, hash_set_mix_text(0, name), is_same_name,
			     profile);
	if (*slot)
		free(name);
	else
		*slot = (uint32_t)++profile->nphase_names;
	return *slot - 1;
}

/* A damaged time counts as that of the phase before: times are in order. */
static uint64_t real_time(const struct profile_header *header, uint64_t monotonic_ns,
			  uint64_t before)
{
	int64_t after_start = (int64_t)(monotonic_ns - header->monotonic_ns);
	uint64_t time = header->started_ns + (uint64_t)after_start;

	return time > before && (after_start < 0) == (time < header->started_ns) ? time :
										   before;
}

static void add(struct profile *profile, struct process *process, size_t *room,
		const struct profile_header *header, const struct profile_record *record)
{
	const char *name = (const char *)(record + 1) + sizeof(uint64_t);
	uint64_t monotonic_ns, before = 0;

	memcpy(&monotonic_ns, record + 1, sizeof(monotonic_ns));
	if (process->nphases)
		before = process->phases[process->nphases - 1].start_ns;
	ensure(process->phases, process->nphases, *room);
	process->phases[process->nphases++] = (struct phase){
		.start_ns = real_time(header, monotonic_ns, before),
		.name = *name ? find_name(profile, clean_text(name)) : PHASE_NONE,
	};
}

void process_phases_read(struct profile *profile, const struct profile_file *file)
{
	struct process *process = &profile->processes[profile->nprocesses - 1];
	const struct profile_record *record = NULL;
	size_t room = 0;

	while ((record = profile_file_record(file, record)))
		if (record->type == PROFILE_PHASE && file->header.monotonic_ns)
			add(profile, process, &room, &file->header, record);
}

const struct phase *process_phases_at(const struct process *process, uint64_t time_ns,
				      uint64_t *end)
{
	size_t low = 0, high = process->nphases;
	const struct phase *phase;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (process->phases[middle].start_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	*end = low < process->nphases ? process->phases[low].start_ns : UINT64_MAX;
	if (!low)
		return NULL;
	phase = &process->phases[low - 1];
	return phase->name == PHASE_NONE ? NULL : phase;
}

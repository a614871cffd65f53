// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads profile files into stacks. Between two records of a file's log the objects in
 * memory stay the same. If the file has no stacks, this counts the PCs between two
 * records first, and then looks up each different PC once.
 */
#include "profile/load_path.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/path.h"
#include "common/progress.h"
#include "common/regular_file.h"
#include "profile/stack_loader.h"
#include "profile/pc_counts.h"
#include "profile/process_names.h"
#include "profile/process_objects.h"
#include "profile/process_phases.h"
#include "profile/records_ahead.h"
#include "reader/profile_file.h"
#include "reader/profile_samples.h"

#include <linux/profil.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct loader {
	struct profile_file	file;
	struct process_objects	objects;
	struct stack_loader	stacks;
	bool			has_stacks;
	struct pc_counts	table;		/* of a file without stacks */
	uint32_t		process;
	uint64_t		samples;
	uint64_t		seen;		/* samples, with zeroes */
	uint64_t		zeroes;		/* since the last sample */
	uint64_t		end;		/* of the last sample */
	uint64_t		missing;
};

/* Adds a stack of one place, at an unknown time. */
static void add_count(struct loader *loader, const struct pc_count *pc)
{
	struct stacks *stacks = &loader->objects.profile->stacks;
	uint32_t thread = stacks_thread(stacks, loader->process, 0), node;
	struct place place;

	process_objects_find(&loader->objects, pc->pc, &place);
	node = stacks_node(stacks, 0, place.object, place.address);
	stacks_count(stacks, node, thread, pc->count, 0);
}

/* Looks up the counted PCs, before the objects change or at the end of the file. */
static void flush(struct loader *loader)
{
	size_t i;

	for (i = 0; i < loader->table.n; i++)
		add_count(loader, &loader->table.list[i]);
	pc_counts_clear(&loader->table);
}

/* The sample of the next log or stack record; UINT64_MAX if there is none. */
static uint64_t next_change(const struct loader *loader)
{
	uint64_t object = process_objects_next(&loader->objects);
	uint64_t stack = loader->has_stacks ? stack_loader_next(&loader->stacks) :
					      UINT64_MAX;

	return object < stack ? object : stack;
}

/* Applies the records up to sample @index. Returns the sample of the next record. */
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

	/* A hole in the file has only zeroes. */
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
		/* Zeroes before a sample are lost samples; those at the end are not. */
		loader->missing += loader->zeroes;
		loader->zeroes = 0;
		loader->end = first + i + 1;
		take_sample(loader, first + i, pcs[i]);
	}
}

static void add_header(struct profile *profile, const struct profile_header *header)
{
	profile->unprofiled += header->unprofiled;
	profile->refused += header->refused < header->unprofiled ?
			    header->refused : header->unprofiled;
	if (header->start_error)
		profile->start_error = header->start_error;
	if (header->file_error)
		profile->file_error = header->file_error;
	profile->lost += header->dropped;
	profile->waits_lost += header->waits_lost;
	profile->denied += header->stopped == PROFIL_STATE_DENIED;
	profile->faulted += header->stopped == PROFIL_STATE_FAULT;
}

static uint64_t inode_of(char *path)
{
	struct stat status;
	bool is = stat(path, &status) == 0;

	free(path);
	return is ? status.st_ino : 0;
}

/* --rotate makes its directories by the time, as 20261130T185900Z, in one directory. */
static void find_directory(struct process *process, const char *path)
{
	int length = (int)(path_name(path) - path);
	char *whole = realpath(path, NULL), *name;
	unsigned int day, time;
	char end = '\0';

	process->directory = inode_of(format_text("%.*s.", length, path));
	if (!whole)
		return;
	*strrchr(whole, '/') = '\0';
	name = strrchr(whole, '/');
	if (name && sscanf(name + 1, "%8uT%6u%c", &day, &time, &end) == 3 && end == 'Z')
		process->rotated = inode_of(format_text("%.*s..", length, path));
	free(whole);
}

static uint32_t add_process(struct profile *profile, const struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	struct process process = {
		.command = profile_find_command(profile,
						process_names_program(file)),
		.pid = header->pid,
		.run = header->run,
		.started_ns = header->started_ns,
		.period_ns = header->period_ns,
		.rate = header->rate,
		.arguments = process_names_command_line(file),
		.host = process_names_host(file),
	};

	if (header->state == PROFILE_ENDED && header->ended_ns > header->started_ns)
		process.ended_ns = header->ended_ns;
	find_directory(&process, file->path);
	ensure(profile->processes, profile->nprocesses, profile->processes_room);
	profile->processes[profile->nprocesses] = process;
	return (uint32_t)profile->nprocesses++;
}

/* A sample that the array lost is not lost if a stack record has it. */
static void end_stacks(struct loader *loader)
{
	uint64_t left = stack_loader_end(&loader->stacks);

	loader->missing -= left < loader->missing ? left : loader->missing;
}

/* A killed process has not written why its profile stopped. */
static bool is_full(const struct loader *loader)
{
	return loader->file.header.stopped == PROFIL_STATE_FULL ||
	       loader->end >= loader->file.header.capacity;
}

static void add_samples(struct loader *loader, struct stack_records *records)
{
	struct profile *profile = loader->objects.profile;

	process_objects_begin(&loader->objects, profile, &loader->file);
	loader->has_stacks = stack_loader_begin(&loader->stacks, &loader->objects,
						loader->process, records);
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
 * Counts lost samples. While a process runs, missing samples may still arrive. The
 * kernel has counted some of the missing samples itself, as dropped.
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
}

/* A file is created a moment before its profile starts. */
static void doubt_period(const struct loader *loader)
{
	if (loader->file.header.period_ns)
		return;
	warn(loader->samples ? "%s: unknown rate: using that of other files" :
	     "%s: stopped before profiling began", loader->file.path);
}

static bool load_file(struct profile *profile, const char *path,
		      struct stack_records *records)
{
	struct loader loader = { .objects.profile = profile };

	if (!profile_file_open(&loader.file, path))
		return false;
	if (!records->read)
		stack_records_read(records, &loader.file);
	profile->withheld |= ~loader.file.mode;
	add_header(profile, &loader.file.header);
	loader.process = add_process(profile, &loader.file);
	process_phases_read(profile, &loader.file);
	add_samples(&loader, records);
	doubt_period(&loader);
	finish_file(&loader, profile);
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

/* Whether the file, which may be of any kind, is no profile. */
static bool is_other(const char *path)
{
	char magic[sizeof(((struct profile_header *)NULL)->magic)];
	int fd = regular_file_open(path);
	bool is;

	if (fd < 0)
		return errno == EINVAL || errno == ENXIO;
	is = pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
	     memcmp(magic, PROFILE_MAGIC, sizeof(magic));
	close(fd);
	return is;
}

static char **list_directory(const char *path, int *n)
{
	struct dirent **entries;
	char **names;
	int i;

	*n = scandir(path, &entries, is_visible, alphasort);
	if (*n < 0)
		return NULL;
	names = allocate((size_t)*n * sizeof(*names));
	for (i = 0; i < *n; i++) {
		names[i] = format_text("%s/%s", path, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return names;
}

/* Files whose stacks are read at the same time: that takes more time than to add them. */
#define AHEAD	2

static bool add_directory(struct profile *profile, const char *path)
{
	struct records_ahead ahead[AHEAD] = { 0 };
	int n, others = 0, i;
	char **names = list_directory(path, &n);
	bool any = false;

	if (!names) {
		warn("cannot read directory %s: %s", path, strerror(errno));
		return false;
	}
	for (i = 0; i < AHEAD && i < n; i++)
		records_ahead_begin(&ahead[i], names[i]);
	for (i = 0; i < n; i++) {
		struct stack_records records = records_ahead_end(&ahead[i % AHEAD]);

		progress_count((size_t)i, (size_t)n);
		if (i + AHEAD < n)
			records_ahead_begin(&ahead[i % AHEAD], names[i + AHEAD]);
		if (is_other(names[i]))
			others++;
		else
			any |= load_file(profile, names[i], &records);
		stack_records_free(&records);
		free(names[i]);
	}
	free(names);
	if (n == others)
		warn("%s: no profile files in this directory", path);
	return any;
}

bool load_path(struct profile *profile, const char *path)
{
	struct stack_records records = { .read = false };
	struct stat status;
	bool loaded;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return add_directory(profile, path);
	loaded = load_file(profile, path, &records);
	stack_records_free(&records);
	return loaded;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "top/live_profile.h"
#include "common/memory.h"
#include "common/regular_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_same_name(const void *context, uint32_t i)
{
	const struct live_profile *live = context;

	return !strcmp(live->seen[i], live->seen[live->nseen]);
}

/* Where @name is in the set, or belongs. */
static uint32_t *find_name(struct live_profile *live, char *name)
{
	hash_set_reserve(&live->seen_set, live->nseen);
	ensure(live->seen, live->nseen, live->seen_room);
	live->seen[live->nseen] = name;
	return hash_set_find(&live->seen_set, hash_set_mix_text(0, name), is_same_name,
			     live);
}

enum kind { OURS, OTHER, UNFINISHED };

/* The first bytes may not be written yet, and the run is written after them. */
static enum kind kind_of(const struct live_profile *live, const char *path)
{
	struct profile_file file = { .path = path, .fd = regular_file_open(path) };
	bool is_profile;

	if (file.fd < 0)
		return UNFINISHED;
	is_profile = profile_file_look(&file);
	close(file.fd);
	if (!is_profile || !file.header.run)
		return UNFINISHED;
	return file.header.run == live->run ? OURS : OTHER;
}

static void add_file(struct live_profile *live, const char *path)
{
	struct live_file *file = live_file_open(path, &live->counts);

	if (!file)
		return;
	ensure(live->files, live->nfiles, live->files_room);
	live->files[live->nfiles++] = file;
}

static void look_at(struct live_profile *live, char *name)
{
	uint32_t *slot = find_name(live, name);
	char *path;
	enum kind kind;

	if (*slot)
		return;
	path = format_text("%s/%s", live->directory, name);
	kind = kind_of(live, path);
	if (kind == OURS)
		add_file(live, path);
	free(path);
	if (kind == UNFINISHED)
		return;
	live->seen[live->nseen] = copy_text(name);
	*slot = (uint32_t)++live->nseen;
}

static void look_for_files(struct live_profile *live)
{
	DIR *directory = opendir(live->directory);
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			look_at(live, entry->d_name);
	closedir(directory);
}

void live_profile_read(struct live_profile *live)
{
	size_t i, n = 0;

	look_for_files(live);
	for (i = 0; i < live->nfiles; i++) {
		if (live_file_read(live->files[i]))
			live->files[n++] = live->files[i];
		else
			live_file_close(live->files[i]);
	}
	live->nfiles = n;
	counts_interval(&live->counts);
}

void live_profile_free(struct live_profile *live)
{
	size_t i;

	for (i = 0; i < live->nfiles; i++)
		live_file_close(live->files[i]);
	for (i = 0; i < live->nseen; i++)
		free(live->seen[i]);
	free(live->files);
	free(live->seen);
	hash_set_free(&live->seen_set);
	counts_free(&live->counts);
}

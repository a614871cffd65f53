// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/kept_map.h"
#include "run/jit_dump.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/regular_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * Copies up to the first zero: text has none, and a huge hole may follow. What a process writes
 * meanwhile is left out: it may write for ever, and take back what has been copied.
 */
static void copy(FILE *from, FILE *to)
{
	char buffer[65536];
	struct stat status;
	uint64_t left = fstat(fileno(from), &status) == 0 ? (uint64_t)status.st_size : 0;
	size_t n, text;

	left = left < KEPT_MAP_MOST ? left : KEPT_MAP_MOST;
	do {
		n = fread(buffer, 1, left < sizeof(buffer) ? left : sizeof(buffer), from);
		left -= n;
		text = strnlen(buffer, n);
	} while (fwrite(buffer, 1, text, to) == text && n && text == n);
}

/* Replaces @name by a new file of user @owner. */
static FILE *replace(int directory, const char *name, uint32_t owner, uint32_t mode)
{
	FILE *file;
	int fd;

	unlinkat(directory, name, 0);
	fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0644 & mode);
	if (fd < 0)
		return NULL;
	/* profil-report takes a map only if it belongs to the profile's owner. */
	if (owner != geteuid() && fchown(fd, owner, (gid_t)-1) < 0)
		warn("cannot change the owner of %s: %s", name, strerror(errno));
	file = fdopen(fd, "w");
	if (!file)
		close(fd);
	return file;
}

static uint64_t ns(struct timespec time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The start of a process, by the clock of then or, if it was set back, by that of now. */
static uint64_t earliest_start(const struct profile_header *header)
{
	struct timespec real, monotonic;
	uint64_t start;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	start = ns(real) - (ns(monotonic) - header->monotonic_ns);
	return header->monotonic_ns && start < header->started_ns ? start : header->started_ns;
}

/* Some file systems have times of two seconds. */
#define FILE_TIME_NS	2020000000

static bool is_older(FILE *file, uint64_t real_ns)
{
	struct stat status;

	return fstat(fileno(file), &status) == 0 &&
	       ns(status.st_mtim) + FILE_TIME_NS < real_ns;
}

/* A copy of the map or dump in which a process names its code. */
struct kept_map {
	int		directory;
	char		*name;
	uint32_t	owner;
	uint32_t	process_owner;
	uint32_t	mode;		/* of the profile */
	uint64_t	started_ns;	/* when the process has */
	FILE		*file;		/* NULL: it has said nothing yet */
};

/* Any user can write to /tmp, so the file must belong to the owner of the process. */
static void take(struct kept_map *kept, char *path, void (*names)(FILE *from, FILE *to))
{
	FILE *from = regular_file_stream_of(path, kept->process_owner);

	if (from && !is_older(from, kept->started_ns)) {
		if (!kept->file)
			kept->file = replace(kept->directory, kept->name, kept->owner,
					     kept->mode);
		if (kept->file)
			names(from, kept->file);
	}
	if (from)
		fclose(from);
	free(path);
}

static void take_all(struct kept_map *kept, const char *tmp, const char *cwd, unsigned int pid)
{
	take(kept, format_text("%s/perf-%u.map", tmp, pid), copy);
	take(kept, format_text("%s/jit-%u.dump", tmp, pid), jit_dump_copy);
	if (cwd)
		take(kept, format_text("%s/jit-%u.dump", cwd, pid), jit_dump_copy);
	if (kept->file)
		fclose(kept->file);
	free(kept->name);
}

static bool may_have_names(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	bool any = !directory;

	while (!any && (entry = readdir(directory)))
		any = !strncmp(entry->d_name, "perf-", 5) || !strncmp(entry->d_name, "jit-", 4);
	if (directory)
		closedir(directory);
	return any;
}

bool kept_map_any(void)
{
	return may_have_names("/tmp") || may_have_names(".");
}

void kept_map_take(int directory, const struct profile_file *profile)
{
	const struct profile_header *header = &profile->header;
	struct kept_map kept = {
		.directory = directory,
		.owner = profile->owner,
		.process_owner = profile->owner,
		.mode = profile->mode,
	};

	/* The process may have ended long ago, and another have its number. */
	if (profile_file_is_cut(profile))
		return;
	kept.name = format_text("perf-%u.map", header->pid);
	kept.started_ns = earliest_start(header);
	take_all(&kept, "/tmp", ".", header->pid);
}

/* The profile is ours, whoever owns the process. */
void kept_map_take_from(const char *path, const struct attached *attached, int pid)
{
	struct kept_map kept = {
		.directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.name = format_text("perf-%d.map", pid),
		.owner = geteuid(),
		.process_owner = attached->owner,
		.mode = 0600,
	};
	char *cwd = format_text("/proc/%d/cwd", pid);

	if (kept.directory >= 0) {
		take_all(&kept, attached->tmp, cwd, attached->pid);
		close(kept.directory);
	}
	free(cwd);
}

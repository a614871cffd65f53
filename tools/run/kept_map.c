// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/kept_map.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Copies up to the first zero: text has none, and a huge hole may follow. */
static void copy(FILE *from, FILE *to)
{
	char buffer[65536];
	size_t n, text;

	do {
		n = fread(buffer, 1, sizeof(buffer), from);
		text = strnlen(buffer, n);
	} while (fwrite(buffer, 1, text, to) == text && n && text == n);
}

/* Replaces @name by a new file of user @owner. */
static FILE *replace(int directory, const char *name, uint32_t owner)
{
	FILE *file;
	int fd;

	unlinkat(directory, name, 0);
	fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
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

/* Any user can write to /tmp, so the map must belong to @owner. */
static void copy_map(int directory, const char *path, uint32_t owner, uint64_t started_ns,
		     const char *name, uint32_t new_owner)
{
	FILE *from = regular_file_stream_of(path, owner);
	FILE *to = from && !is_older(from, started_ns) ?
		   replace(directory, name, new_owner) : NULL;

	if (to) {
		copy(from, to);
		fclose(to);
	}
	if (from)
		fclose(from);
}

void kept_map_take(int directory, const struct profile_file *profile)
{
	char *path;

	/* The process may have ended long ago, and another have its number. */
	if (profile_file_is_cut(profile))
		return;
	path = format_text("/tmp/perf-%u.map", profile->header.pid);
	copy_map(directory, path, profile->owner, earliest_start(&profile->header),
		 path + strlen("/tmp/"), profile->owner);
	free(path);
}

/* The profile is ours, whoever owns the process. */
void kept_map_take_from(const char *path, const char *map, uint32_t owner, int pid)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *name = format_text("perf-%d.map", pid);

	if (directory >= 0) {
		copy_map(directory, map, owner, 0, name, geteuid());
		close(directory);
	}
	free(name);
}

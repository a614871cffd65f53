// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/profile_directory.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/regular_file.h"
#include "reader/profile_file.h"
#include "reader/profile_samples.h"
#include "reader/profile_stream.h"
#include "run/previous_profile.h"
#include "run/profile_cut.h"
#include "run/visit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/profil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* Whether the module does not write to this file system; see profil(1), CAVEATS. */
static bool is_remote(const char *path)
{
	static const unsigned int magics[] = {
		AFS_FS_MAGIC, AFS_SUPER_MAGIC, CEPH_SUPER_MAGIC,
		CIFS_SUPER_MAGIC, CODA_SUPER_MAGIC, FUSE_SUPER_MAGIC,
		NFS_SUPER_MAGIC, SMB2_SUPER_MAGIC, SMB_SUPER_MAGIC, V9FS_MAGIC,
	};
	struct statfs status;
	size_t i;

	if (statfs(path, &status) < 0)
		return false;
	for (i = 0; i < length_of(magics); i++)
		if ((unsigned int)status.f_type == magics[i])
			return true;
	return false;
}

/*
 * Each profil holds a shared lock on its directory until it exits. Other users may
 * lock a directory that they can read, so profil waits at most a second.
 */
static void lock_shared(int directory)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	int tries;

	for (tries = 0; tries < 100; tries++) {
		if (flock(directory, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			return;
		nanosleep(&moment, NULL);
	}
}

/* perf-PID.map there is the work of running programs, and no copy. */
static bool is_directory_of_maps(int directory)
{
	struct stat status, maps;

	return fstat(directory, &status) == 0 && stat("/tmp", &maps) == 0 &&
	       status.st_dev == maps.st_dev && status.st_ino == maps.st_ino;
}

/* If another profil uses the directory, all of its profiles stay. */
static int empty(struct profile_directory *directory, const char *path)
{
	if (faccessat(directory->fd, ".", W_OK | X_OK, 0) < 0)
		return errno;
	if (is_directory_of_maps(directory->fd))
		return EBUSY;
	directory->shared = flock(directory->fd, LOCK_EX | LOCK_NB) < 0 &&
			    errno == EWOULDBLOCK;
	return directory->shared ? 0 : previous_profile_hold(directory->fd, path);
}

int profile_directory_make(struct profile_directory *directory,
			   const char *path)
{
	bool made = mkdir(path, 0755) == 0;
	int error = 0;

	*directory = (struct profile_directory){ .fd = -1 };
	if (!made && errno != EEXIST)
		return errno;
	if (is_remote(path))
		return EREMOTE;
	directory->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory->fd < 0)
		return errno;
	if (!made)
		error = empty(directory, path);
	if (error)
		close(directory->fd);
	else
		lock_shared(directory->fd);
	return error;
}

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

/* Times of files are those of the kernel's last tick. */
#define FILE_TIME_NS	20000000

static bool is_older(FILE *file, uint64_t real_ns)
{
	struct stat status;

	return fstat(fileno(file), &status) == 0 &&
	       (uint64_t)status.st_mtim.tv_sec * 1000000000 +
	       (uint64_t)status.st_mtim.tv_nsec + FILE_TIME_NS < real_ns;
}

/*
 * Copies the process's map from /tmp, where a later process may replace it. Any user
 * can write there, so the map must belong to the profile's owner. One from before
 * @started_ns is an earlier process's of the same number.
 */
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

static void keep_map(int directory, const struct profile_file *profile)
{
	char *path = format_text("/tmp/perf-%u.map", profile->header.pid);

	copy_map(directory, path, profile->owner, profile->header.started_ns,
		 path + strlen("/tmp/"), profile->owner);
	free(path);
}

/* The profile is ours, whoever owns the process. */
void profile_directory_keep_map(const char *path, const char *map, uint32_t owner, int pid)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *name = format_text("perf-%d.map", pid);

	if (directory >= 0) {
		copy_map(directory, map, owner, 0, name, geteuid());
		close(directory);
	}
	free(name);
}

static void cut(int directory, const struct profile_file *file, uint64_t end)
{
	int error = profile_cut(directory, file, end);

	if (error)
		warn("cannot cut %s: %s", file->path, strerror(error));
}

static void add_samples(struct profile_directory_files *files,
			const struct profile_header *header, uint64_t samples)
{
	files->samples += samples;
	files->ns += samples * header->period_ns;
}

static void finish_profile(int directory, struct profile_file *file,
			   struct profile_directory_files *files)
{
	const struct profile_header *header = &file->header;
	uint64_t end = profile_samples_end(file);
	bool stacks = profile_stream_any(file);

	files->files++;
	files->faulted |= header->stopped == PROFIL_STATE_FAULT;
	files->stacks |= stacks;
	if (end > header->samples_offset)
		add_samples(files, header, (end - header->samples_offset) /
			    header->sample_width);
	if (end > header->samples_offset || stacks)
		keep_map(directory, file);
	if (profile_file_is_live(file)) {
		files->live = true;
		profile_file_leave(file);
	} else {
		cut(directory, file, end);
	}
}

static void finish_file(int directory, const char *name, void *context)
{
	struct profile_file file;

	if (!profile_file_peek(&file, directory, name))
		return;
	finish_profile(directory, &file, context);
	profile_file_close(&file);
}

struct profile_directory_files profile_directory_finish(const char *path)
{
	struct profile_directory_files files = { .files = 0 };
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (directory >= 0) {
		visit_files(directory, finish_file, &files);
		files.restored = previous_profile_settle(directory, path);
		close(directory);
	}
	return files;
}

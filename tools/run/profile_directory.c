// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/profile_directory.h"
#include "common/memory.h"
#include "common/message.h"
#include "reader/profile_file.h"
#include "reader/profile_samples.h"
#include "reader/profile_stream.h"
#include "run/kept_map.h"
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

static void cut(int directory, const struct profile_file *file, uint64_t end)
{
	int error = profile_cut(directory, file, end);

	if (error)
		warn("%s: cannot remove its unused space: %s (the file stays as it is)",
		     file->path, strerror(error));
}

static void add_samples(struct profile_directory_files *files,
			const struct profile_header *header, uint64_t samples)
{
	files->samples += samples;
	files->ns += samples * header->period_ns;
}

/* To look whether there is any map takes as long as to look for those of four profiles. */
#define LOOKED_MOST	4

static void take_map(int directory, const struct profile_file *file,
		     struct profile_directory_files *files)
{
	if (files->looked++ == LOOKED_MOST)
		files->no_maps = !kept_map_any();
	if (!files->no_maps)
		kept_map_take(directory, file);
}

static void finish_profile(int directory, struct profile_file *file,
			   struct profile_directory_files *files)
{
	const struct profile_header *header = &file->header;
	uint64_t end = profile_samples_end(file);
	bool stacks = profile_stream_any(file);

	files->files++;
	files->faulted |= header->stopped == PROFIL_STATE_FAULT;
	files->unprofiled |= header->unprofiled > 0;
	files->stacks |= stacks;
	if (end > header->samples_offset)
		add_samples(files, header, (end - header->samples_offset) /
			    header->sample_width);
	if (end > header->samples_offset || stacks)
		take_map(directory, file, files);
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

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/profile_directory.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/regular_file.h"
#include "reader/profile_file.h"
#include "reader/profile_cut.h"
#include "reader/profile_samples.h"

#include <dirent.h>
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

typedef void visitor(int directory, const char *name, void *context);

/*
 * Calls @visit for each file whose name does not begin with a dot. Returns 0 or an
 * errno. opendir(3) would make one more system call.
 */
static int visit_files(int directory, visitor *visit, void *context)
{
	static union {
		char		bytes[32768];
		struct dirent64	first;
	} entries;
	ssize_t size, at;

	while ((size = getdents64(directory, entries.bytes, sizeof(entries))) > 0) {
		const struct dirent64 *entry;

		for (at = 0; at < size; at += entry->d_reclen) {
			entry = (const void *)(entries.bytes + at);
			if (entry->d_name[0] != '.')
				visit(directory, entry->d_name, context);
		}
	}
	return size < 0 ? errno : 0;
}

/*
 * Whether a file that was not read as a profile is something else. An empty file may
 * become a profile, and one that this user cannot read may be another user's.
 */
static bool is_other(int directory, const char *name)
{
	struct stat status;

	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       !(S_ISREG(status.st_mode) && !status.st_size) &&
	       faccessat(directory, name, R_OK, 0) == 0;
}

/* What a directory has. */
struct contents {
	bool	profiles;
	bool	others;
};

/*
 * Removes a profile, its copy of a map, and the names, if no process still writes to it.
 * Some processes outlive their command.
 */
static void remove_old(int directory, const char *name, void *context)
{
	struct contents *contents = context;
	struct profile_file file;
	char map[32];

	if (!profile_file_peek(&file, directory, name)) {
		contents->others |= is_other(directory, name);
		return;
	}
	contents->profiles = true;
	if (!profile_file_is_live(&file)) {
		snprintf(map, sizeof(map), "perf-%u.map", file.header.pid);
		unlinkat(directory, name, 0);
		unlinkat(directory, map, 0);
		unlinkat(directory, PROFILE_NAMES, 0);
	}
	profile_file_close(&file);
}

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

/*
 * If another profil uses the directory, all of its profiles stay. A directory that has
 * only other files is not ours: their owner would have to pick the profiles out.
 */
static int remove_all_old(struct profile_directory *directory)
{
	struct contents contents = { .profiles = false };
	int error;

	directory->shared = flock(directory->fd, LOCK_EX | LOCK_NB) < 0 &&
			    errno == EWOULDBLOCK;
	if (directory->shared)
		return 0;
	error = visit_files(directory->fd, remove_old, &contents);
	if (error)
		return error;
	return contents.others && !contents.profiles ? ENOTEMPTY : 0;
}

static int take(struct profile_directory *directory, bool made)
{
	int error = 0;

	if (!made && faccessat(directory->fd, ".", W_OK | X_OK, 0) < 0)
		error = errno;
	if (!error && !made)
		error = remove_all_old(directory);
	if (!error)
		lock_shared(directory->fd);
	return error;
}

int profile_directory_make(struct profile_directory *directory,
			   const char *path)
{
	bool made = mkdir(path, 0755) == 0;
	int error;

	*directory = (struct profile_directory){ .fd = -1 };
	if (!made && errno != EEXIST)
		return errno;
	if (is_remote(path))
		return EREMOTE;
	directory->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory->fd < 0)
		return errno;
	error = take(directory, made);
	if (error)
		close(directory->fd);
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

/*
 * Copies the process's map from /tmp, where a later process may replace it. Any user
 * can write there, so the map must belong to the profile's owner.
 */
static void keep_map(int directory, const struct profile_file *profile)
{
	char *path = format_text("/tmp/perf-%u.map", profile->header.pid);
	FILE *from = regular_file_stream_of(path, profile->owner);
	FILE *to = from ? replace(directory, path + strlen("/tmp/"),
				  profile->owner) : NULL;

	if (to) {
		copy(from, to);
		fclose(to);
	}
	if (from)
		fclose(from);
	free(path);
}

static void cut(struct profile_file *file, uint64_t end)
{
	int error = profile_cut(file, end);

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

	files->files++;
	files->faulted |= header->stopped == PROFIL_STATE_FAULT;
	if (end > header->samples_offset) {
		add_samples(files, header, (end - header->samples_offset) /
			    header->sample_width);
		keep_map(directory, file);
	}
	if (profile_file_is_live(file)) {
		files->live = true;
		profile_file_leave(file);
	} else {
		cut(file, end);
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
		close(directory);
	}
	return files;
}
